package import DoorwardDomain
internal import DoorwardPolicy

// Paging, shared by all lists. The use cases choose the items and return one page.

/// The requested page and sort order of a list.
package struct PageRequest<Key: Sendable>: Sendable {
    /// The page number, from 1.
    package let page: Int
    /// The maximum number of items on a page.
    package let limit: Int
    /// The sort key; `nil` sorts by id.
    package let key: Key?
    /// Whether to sort in descending order.
    package let isDescending: Bool
    /// Selects the items by name; `nil` selects all.
    package let search: NameSearch?

    package init(page: Int = 1, limit: Int, key: Key? = nil, isDescending: Bool = false, search: NameSearch? = nil) {
        (self.page, self.limit, self.key, self.isDescending, self.search) = (page, limit, key, isDescending, search)
    }

    /// The number of items before the page.
    package var offset: Int { (page - 1) * limit }

    /// The page of a list whose items are all in memory.
    ///
    /// - Parameters:
    ///   - items: sorted by id; items with equal sort values keep this order.
    ///   - name: returns the name that `search` applies to; `nil` for an item without a name, which no search selects.
    ///   - value: returns the sort value of an item.
    package func page<Item>(
        of items: [Item], in snapshot: CurrentDirectory.Snapshot, named name: (Item) -> String?,
        by value: (Key, Item) -> SortValue
    ) -> Page<Item> {
        let items = search.map { search in items.filter { name($0).map(search.matches) ?? false } } ?? items
        let slice = sorted(items, by: value).dropFirst(offset).prefix(limit)
        return Page(Array(slice), total: items.count, page: page, limit: limit, in: snapshot)
    }

    private func sorted<Item>(_ items: [Item], by value: (Key, Item) -> SortValue) -> [Item] {
        guard let key else { return items }
        return order(items.map { (value(key, $0), $0) })
    }

    /// Sorts by the values; items with equal values keep their order.
    private func order<Item>(_ keyed: [(SortValue, Item)]) -> [Item] {
        keyed.enumerated().sorted { a, b in
            let (first, second) = isDescending ? (b.element.0, a.element.0) : (a.element.0, b.element.0)
            if first < second { return true }
            if second < first { return false }
            return a.offset < b.offset
        }.map(\.element.1)
    }
}

extension PageRequest where Key: RawRepresentable<String> {
    /// The page of a list whose order is kept for its reader: only the items of the page are read, except for the first page in a
    /// version of the directory, the first search in it, and a filter or a search that is not ASCII, which read all items.
    ///
    /// - Parameters:
    ///   - visible: the ids of the objects that the reader sees, ascending. They MUST NOT depend on the time.
    ///   - item: reads an object.
    ///   - filter: selects items; `nil` selects all.
    func page<Item, Entity>(
        _ list: ListCache.List, in current: CallerSnapshot, of principal: Principal, visible: () -> [EntityID<Entity>],
        item: (EntityID<Entity>) -> Item?, filter: ((Item) -> Bool)? = nil, named name: (Item) -> String?,
        by value: (Key, Item) -> SortValue
    ) -> Page<Item> {
        let cacheKey = ListCache.Key(principal: principal, list: list, order: key?.rawValue, isDescending: isDescending)
        var ids = current.snapshot.lists.ids(cacheKey) {
            guard let key else { return visible() }
            return order(visible().compactMap { id in item(id).map { (value(key, $0), id) } })
        }
        if let search {
            if let numbers = search.matches(in: { current.snapshot.lists.names(cacheKey) { ids.map { item($0).flatMap(name) } } })
            {
                ids = numbers.map { ids[$0] }
            } else {
                ids = ids.filter { item($0).flatMap(name).map(search.matches) ?? false }
            }
        }
        if let filter { ids = ids.filter { item($0).map(filter) ?? false } }
        let slice = ids.dropFirst(offset).prefix(limit)
        return Page(slice.compactMap(item), total: ids.count, page: page, limit: limit, in: current.snapshot)
    }
}

extension PageRequest<NameOrCreatedAt> {
    /// The page of a list of named objects; see the same function for other keys.
    func page<Item: NamedItem, Entity>(
        _ list: ListCache.List, in current: CallerSnapshot, of principal: Principal, visible: () -> [EntityID<Entity>],
        item: (EntityID<Entity>) -> Item?, filter: ((Item) -> Bool)? = nil
    ) -> Page<Item> {
        page(list, in: current, of: principal, visible: visible, item: item, filter: filter, named: \.sortName) { key, item in
            key == .name ? .name(item.sortName) : .number(item.createdAt.milliseconds)
        }
    }

    func page<Item: NamedItem>(of items: [Item], in snapshot: CurrentDirectory.Snapshot) -> Page<Item> {
        page(of: items, in: snapshot, named: \.sortName) { key, item in
            key == .name ? .name(item.sortName) : .number(item.createdAt.milliseconds)
        }
    }
}

/// A page of a list.
package struct Page<Item: Sendable>: Sendable {
    /// The items of this page only.
    package let items: [Item]
    /// The number of items on all pages.
    package let totalItems: Int
    /// The page number, from 1.
    package let page: Int
    /// The maximum number of items on a page.
    package let limit: Int
    /// The directory from which the items were selected. Render the items from the same directory:
    /// in a later one the reader may have lost the right to see some of them.
    package let snapshot: CurrentDirectory.Snapshot

    package init(_ items: [Item], total: Int, page: Int, limit: Int, in snapshot: CurrentDirectory.Snapshot) {
        (self.items, totalItems, self.page, self.limit, self.snapshot) = (items, total, page, limit, snapshot)
    }
}

/// A value that a list is sorted by: a name ignoring case, or a number.
package enum SortValue: Comparable, Sendable {
    /// The lower-cased name in UTF-8. Comparing bytes avoids normalising both names at each comparison.
    case text([UInt8])
    /// A number, such as a timestamp.
    case number(Int64)

    /// A name ignoring case.
    package static func name(_ text: String) -> SortValue { .text(Array(text.lowercased().utf8)) }

    /// Texts sort before numbers; no list has both.
    package static func < (one: SortValue, other: SortValue) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
        case (.number(let one), .number(let other)): one < other
        case (.text, .number): true
        case (.number, .text): false
        }
    }
}

/// `sortBy` of lists whose items have a name.
package enum NameOrCreatedAt: String, CaseIterable, Sendable {
    /// By name, ignoring case.
    case name
    /// By the time of creation.
    case createdAt
}

/// An item of a list that can be sorted by name or by time of creation.
protocol NamedItem: Sendable {
    var sortName: String { get }
    var createdAt: Timestamp { get }
}

extension Portfolio: NamedItem { var sortName: String { name } }
extension Property: NamedItem { var sortName: String { name } }
extension Unit: NamedItem { var sortName: String { name } }
extension LockDevice: NamedItem { var sortName: String { name } }
extension User: NamedItem { var sortName: String { fullName } }

/// A snapshot of the directory, and the caller's rights in it.
struct CallerSnapshot {
    let snapshot: CurrentDirectory.Snapshot
    let subject: Subject
    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    init(_ directory: CurrentDirectory, _ caller: Caller) {
        snapshot = directory.snapshot
        subject = snapshot.directory.subject(of: caller.principal)
    }
}
