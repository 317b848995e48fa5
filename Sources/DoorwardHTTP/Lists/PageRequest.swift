internal import DoorwardAPI
internal import DoorwardControl

extension PageRequest where Key: RawRepresentable<String> & CaseIterable {
    /// Reads `page`, `limit`, `sortBy` and `q`.
    ///
    /// - Parameter hasNames: false for a list whose items have no names, which has no `q`.
    init(_ query: inout QueryReader, hasNames: Bool = true) {
        let page = query.integer("page", in: 1...Int(Int32.max)) ?? 1
        let limit = query.integer("limit", in: WireLimits.pageSize) ?? WireLimits.defaultPageSize
        let search = hasNames ? query.search("q") : nil
        guard let sortBy = query.text("sortBy") else {
            self.init(page: page, limit: limit, search: search)
            return
        }
        let isDescending = sortBy.hasPrefix("-")
        let key = Key(rawValue: isDescending ? String(sortBy.dropFirst()) : sortBy)
        if key == nil { query.mistakes.add("sortBy", .unknownValue) }
        self.init(page: page, limit: limit, key: key, isDescending: isDescending, search: search)
    }
}

extension QueryReader {
    /// A text to search in names: not blank, and no longer than a name.
    fileprivate mutating func search(_ name: String) -> NameSearch? {
        guard let text = text(name)?.trimmed else { return nil }
        if text.isEmpty {
            mistakes.add(name, .blank)
        } else if text.count > WireLimits.nameCharacters {
            mistakes.add(name, .tooLong)
        } else {
            return NameSearch(text)
        }
        return nil
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
