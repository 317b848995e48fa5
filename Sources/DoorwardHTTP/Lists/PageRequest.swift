internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

extension PageRequest where Key: RawRepresentable<String> & CaseIterable {
    /// Reads `page`, `limit`, `sortBy` and `q`.
    ///
    /// - Parameters:
    ///   - hasNames: false for a list whose items have no names, which has no `q`.
    ///   - hasAscending: false for a list that can be sorted in descending order only.
    init(_ query: inout QueryReader, hasNames: Bool = true, hasAscending: Bool = true) {
        let page = query.integer("page", in: 1...Int(Int32.max)) ?? 1
        let limit = query.integer("limit", in: WireLimits.pageSize) ?? WireLimits.defaultPageSize
        let search = hasNames ? query.search("q") : nil
        guard let sortBy = query.text("sortBy", as: .words(Self.orders(hasAscending: hasAscending))) else {
            self.init(page: page, limit: limit, search: search)
            return
        }
        let isDescending = sortBy.hasPrefix("-")
        let key = Key(rawValue: isDescending ? String(sortBy.dropFirst()) : sortBy)
        if key == nil || !isDescending && !hasAscending { query.mistakes.add("sortBy", .unknownValue) }
        self.init(page: page, limit: limit, key: key, isDescending: isDescending, search: search)
    }

    /// The values of `sortBy`.
    private static func orders(hasAscending: Bool) -> [String] {
        Key.allCases.flatMap { (hasAscending ? [$0.rawValue] : []) + ["-\($0.rawValue)"] }
    }
}

extension StringSchema {
    fileprivate static let search = StringSchema(minLength: 1, maxLength: WireLimits.nameCharacters, pattern: #"[^\s\u0085]"#)
}

extension QueryReader {
    /// A text to search in names: not blank, and no longer than a name.
    mutating func search(_ name: String) -> NameSearch? {
        guard let raw = text(name, as: .string(.search)) else { return nil }
        let text = raw.trimmed
        if text.isEmpty {
            mistakes.add(name, .blank)
        } else if raw.unicodeScalars.count > WireLimits.nameCharacters {
            mistakes.add(name, .tooLong)
        } else {
            return NameSearch(text)
        }
        return nil
    }
}

/// `data.pagination` of a list.
struct Pagination: JSONRenderable {
    static let schema = JSONSchema.object(
        ["totalItems", "totalPages", "currentPage", "pageSize"].map { JSONSchema.Member($0, .integer(0...Int64.max)) })

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
