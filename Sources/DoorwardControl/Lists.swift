package import DoorwardDomain
internal import DoorwardPolicy

// What all lists by pages have in common. The use cases choose the items, and hand out one page.

/// Which page of a list is asked for, and in which order.
package struct PageRequest<Key: Sendable>: Sendable {
    /// From 1.
    package let page: Int
    /// The most items of a page.
    package let limit: Int
    /// What the list is sorted by; `nil`: the id.
    package let key: Key?
    /// From the last item to the first.
    package let isDescending: Bool

    package init(page: Int = 1, limit: Int, key: Key? = nil, isDescending: Bool = false) {
        (self.page, self.limit, self.key, self.isDescending) = (page, limit, key, isDescending)
    }

    /// How many items stand before the page.
    package var offset: Int { (page - 1) * limit }

    /// The page of a list that is held whole.
    ///
    /// - Parameters:
    ///   - items: in the order of their ids, which settles ties.
    ///   - value: what an item is sorted by.
    package func page<Item>(
        of items: [Item], in snapshot: PublishedDirectory.Snapshot, by value: (Key, Item) -> SortValue
    ) -> Page<Item> {
        let slice = sorted(items, by: value).dropFirst(offset).prefix(limit)
        return Page(Array(slice), total: items.count, page: page, limit: limit, in: snapshot)
    }

    private func sorted<Item>(_ items: [Item], by value: (Key, Item) -> SortValue) -> [Item] {
        guard let key else { return items }
        let keyed = items.map { (value(key, $0), $0) }
        return keyed.enumerated().sorted { a, b in
            let (first, second) = isDescending ? (b.element.0, a.element.0) : (a.element.0, b.element.0)
            if first < second { return true }
            if second < first { return false }
            return a.offset < b.offset
        }.map(\.element.1)
    }
}

extension PageRequest<NameOrCreatedAt> {
    func page<Item: NamedItem>(of items: [Item], in snapshot: PublishedDirectory.Snapshot) -> Page<Item> {
        page(of: items, in: snapshot) { key, item in
            key == .name ? .name(item.sortName) : .number(item.createdAt.milliseconds)
        }
    }
}

/// A page of a list.
package struct Page<Item: Sendable>: Sendable {
    /// Those of this page alone.
    package let items: [Item]
    /// All items of the list, over all pages.
    package let totalItems: Int
    /// From 1.
    package let page: Int
    /// The most items of a page.
    package let limit: Int
    /// The directory that the items were chosen in. They are rendered from the same: in a later one the reader may have no right
    /// to some of them.
    package let snapshot: PublishedDirectory.Snapshot

    package init(_ items: [Item], total: Int, page: Int, limit: Int, in snapshot: PublishedDirectory.Snapshot) {
        (self.items, totalItems, self.page, self.limit, self.snapshot) = (items, total, page, limit, snapshot)
    }
}

/// What a list is sorted by: a name without regard to case, or a number.
package enum SortValue: Comparable, Sendable {
    /// The lower-cased name in UTF-8. Bytes are compared, so that no name is normalised at each comparison.
    case text([UInt8])
    /// Such as an instant.
    case number(Int64)

    /// A name without regard to case.
    package static func name(_ text: String) -> SortValue { .text(Array(text.lowercased().utf8)) }

    /// Texts stand behind numbers; no list has both.
    package static func < (one: SortValue, other: SortValue) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
        case (.number(let one), .number(let other)): one < other
        case (.text, .number): true
        case (.number, .text): false
        }
    }
}

/// `sortBy` of lists of things with a name.
package enum NameOrCreatedAt: String, CaseIterable, Sendable {
    /// Without regard to case.
    case name
    /// When it was made.
    case createdAt
}

/// An item of a list that is sorted by name or by age.
protocol NamedItem: Sendable {
    var sortName: String { get }
    var createdAt: Timestamp { get }
}

extension Portfolio: NamedItem { var sortName: String { name } }
extension Property: NamedItem { var sortName: String { name } }
extension Unit: NamedItem { var sortName: String { name } }
extension LockDevice: NamedItem { var sortName: String { name } }
extension User: NamedItem { var sortName: String { fullName } }

/// One version of the directory, and what a caller holds in it.
struct Sight {
    let snapshot: PublishedDirectory.Snapshot
    let subject: Subject
    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    init(_ directory: PublishedDirectory, _ caller: Caller) {
        snapshot = directory.snapshot
        subject = snapshot.directory.subject(of: caller.principal)
    }
}
