internal import DoorwardAPI
internal import DoorwardControl

extension PageRequest where Key: RawRepresentable<String> & CaseIterable {
    /// Reads `page`, `limit` and `sortBy`.
    init(_ query: inout QueryReader) {
        let page = query.integer("page", in: 1...Int(Int32.max)) ?? 1
        let limit = query.integer("limit", in: WireLimits.pageSize) ?? WireLimits.defaultPageSize
        guard let sortBy = query.text("sortBy") else {
            self.init(page: page, limit: limit)
            return
        }
        let isDescending = sortBy.hasPrefix("-")
        let key = Key(rawValue: isDescending ? String(sortBy.dropFirst()) : sortBy)
        if key == nil { query.mistakes.add("sortBy", .unknownValue) }
        self.init(page: page, limit: limit, key: key, isDescending: isDescending)
    }
}

/// `data.pagination` of a list.
struct Pagination: JSONRenderable {
    let totalItems: Int
    let page: Int
    let limit: Int

    init<Item>(_ page: Page<Item>) { (totalItems, self.page, limit) = (page.totalItems, page.page, page.limit) }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("totalItems", totalItems)
            writer.field("totalPages", (totalItems + limit - 1) / limit)
            writer.field("currentPage", page)
            writer.field("pageSize", limit)
        }
    }
}
