extension Wire {
    /// `data.pagination` of a response with one page of a list.
    package struct Pagination: Decodable, Equatable, Sendable {
        /// The number of items that the caller may see, on all pages together.
        package var totalItems: Int
        /// The number of pages; 0 for an empty list.
        package var totalPages: Int
        /// The number of this page, from 1.
        package var currentPage: Int
        /// The maximum number of items on a page.
        package var pageSize: Int
    }

    /// An object that the API returns in pages.
    package protocol ListItem: Decodable, Sendable {
        /// The key of the items in `data`.
        static var listKey: String { get }
    }

    /// `data` of one page of a list.
    package struct Page<Item: ListItem>: Decodable, Sendable {
        /// The items of this page, in the requested order.
        package let items: [Item]
        /// The position of the page in the whole list.
        package let pagination: Pagination

        /// Reads the items under their key.
        package init(from decoder: any Decoder) throws {
            let data = try decoder.container(keyedBy: Key.self)
            items = try data.decode([Item].self, forKey: Key(stringValue: Item.listKey))
            pagination = try data.decode(Pagination.self, forKey: Key(stringValue: "pagination"))
        }

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }
}
