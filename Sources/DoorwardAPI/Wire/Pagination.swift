extension Wire {
    /// `data.pagination` of a list by pages.
    package struct Pagination: Decodable, Equatable, Sendable {
        /// The number of items of the list, over all pages, that the caller may see.
        package var totalItems: Int
        /// 0 for an empty list.
        package var totalPages: Int
        /// From 1.
        package var currentPage: Int
        /// The maximum number of items on a page.
        package var pageSize: Int
    }
}
