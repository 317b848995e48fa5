internal import DoorwardAPI

/// Which page of a list is asked for, and in which order.
struct PageRequest<Key: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    /// From 1.
    let page: Int
    let limit: Int
    /// `nil`: by id.
    let key: Key?
    let isDescending: Bool

    /// Reads `page`, `limit` and `sortBy`.
    init(_ query: inout QueryReader) {
        page = query.integer("page", in: 1...Int(Int32.max)) ?? 1
        limit = query.integer("limit", in: WireLimits.pageSize) ?? WireLimits.defaultPageSize
        guard let sortBy = query.text("sortBy") else {
            (key, isDescending) = (nil, false)
            return
        }
        isDescending = sortBy.hasPrefix("-")
        key = Key(rawValue: isDescending ? String(sortBy.dropFirst()) : sortBy)
        if key == nil { query.mistakes.add("sortBy", .unknownValue) }
    }

    var offset: Int { (page - 1) * limit }

    /// Sorts by what `value` reads, ties by id: `items` come in the order of their ids.
    func sorted<Item>(_ items: [Item], by value: (Key, Item) -> SortValue) -> [Item] {
        guard let key else { return items }
        let keyed = items.map { (value(key, $0), $0) }
        return keyed.enumerated().sorted { a, b in
            let (first, second) = isDescending ? (b.element.0, a.element.0) : (a.element.0, b.element.0)
            if first < second { return true }
            if second < first { return false }
            return a.offset < b.offset
        }.map(\.element.1)
    }

    /// The page's own items.
    func slice<Item>(_ items: [Item]) -> ArraySlice<Item> { items.dropFirst(offset).prefix(limit) }
}

/// What a list is sorted by: a name without regard to case, or a number.
enum SortValue: Comparable {
    /// The lower-cased name in UTF-8. Bytes are compared, so that no name is normalised at each comparison.
    case text([UInt8])
    case number(Int64)

    static func name(_ text: String) -> SortValue { .text(Array(text.lowercased().utf8)) }

    static func < (one: SortValue, other: SortValue) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
        case (.number(let one), .number(let other)): one < other
        case (.text, .number): true
        case (.number, .text): false
        }
    }
}

/// `sortBy` of lists of things with a name.
enum NameOrAge: String, CaseIterable, Sendable {
    case name
    case createdAt
}

/// `data.pagination`.
struct Pagination: JSONRenderable {
    let totalItems: Int
    let page: Int
    let limit: Int

    init<Key>(_ request: PageRequest<Key>, total: Int) { (totalItems, page, limit) = (total, request.page, request.limit) }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("totalItems", totalItems)
            writer.field("totalPages", (totalItems + limit - 1) / limit)
            writer.field("currentPage", page)
            writer.field("pageSize", limit)
        }
    }
}
