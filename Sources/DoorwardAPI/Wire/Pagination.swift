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
}
