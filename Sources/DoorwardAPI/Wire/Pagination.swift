extension Wire {
    /// `data.pagination` of a list by pages.
    package struct Pagination: Decodable, Equatable, Sendable {
        /// All items of the list, over all pages, that the caller may see.
        package var totalItems: Int
        /// 0 of an empty list.
        package var totalPages: Int
        /// From 1.
        package var currentPage: Int
        /// The most items that a page holds.
        package var pageSize: Int
    }
}
