package import DoorwardDomain
package import DoorwardPolicy
import Glibc

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
        let sorted = key.map { key in order(items.map { (value(key, $0), $0) }) } ?? items
        let slice = sorted.dropFirst(offset).prefix(limit)
        return Page(Array(slice), total: items.count, page: page, limit: limit, in: snapshot)
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
    package func page<Item, Entity>(
        _ list: ListKey.List, in current: CallerSnapshot, of principal: Principal, visible: () -> [EntityID<Entity>],
        item: (EntityID<Entity>) -> Item?, filter: ((Item) -> Bool)? = nil, named name: (Item) -> String?,
        by value: (Key, Item) -> SortValue
    ) -> Page<Item> {
        let cacheKey = ListKey(principal: principal, list: list, order: key?.rawValue, isDescending: isDescending)
        func sorted() -> [EntityID<Entity>] {
            guard let key else { return visible() }
            return order(visible().compactMap { id in item(id).map { (value(key, $0), id) } })
        }
        var ids = current.snapshot.lists.value(of: cacheKey, sorted) as? [EntityID<Entity>] ?? sorted()
        if let search {
            if search.isASCII {
                let names = current.snapshot.names.value(of: cacheKey) { SearchableNames(ids.map { item($0).flatMap(name) }) }
                ids = names.numbers(containing: search.bytes).map { ids[$0] }
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
    package func page<Item: NamedItem, Entity>(
        _ list: ListKey.List, in current: CallerSnapshot, of principal: Principal, visible: () -> [EntityID<Entity>],
        item: (EntityID<Entity>) -> Item?, filter: ((Item) -> Bool)? = nil
    ) -> Page<Item> {
        page(
            list, in: current, of: principal, visible: visible, item: item, filter: filter, named: \.sortName,
            by: { $0.value(of: $1) })
    }

    /// The page of a list of named objects that are all in memory.
    package func page<Item: NamedItem>(of items: [Item], in snapshot: CurrentDirectory.Snapshot) -> Page<Item> {
        page(of: items, in: snapshot, named: \.sortName, by: { $0.value(of: $1) })
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

    fileprivate func value(of item: some NamedItem) -> SortValue {
        self == .name ? .name(item.sortName) : .number(item.createdAt.milliseconds)
    }
}

/// An item of a list that can be sorted by name or by time of creation.
package protocol NamedItem: Sendable {
    /// The name, by which lists are sorted and searched.
    var sortName: String { get }
    /// When the object was created.
    var createdAt: Timestamp { get }
}

extension Portfolio: NamedItem { package var sortName: String { name } }
extension Property: NamedItem { package var sortName: String { name } }
extension Unit: NamedItem { package var sortName: String { name } }
extension LockDevice: NamedItem { package var sortName: String { name } }
extension User: NamedItem { package var sortName: String { fullName } }

/// A snapshot of the directory, and the caller's rights in it.
package struct CallerSnapshot {
    /// The version of the directory.
    package let snapshot: CurrentDirectory.Snapshot
    /// The caller in this version.
    package let subject: Subject
    /// The directory, in place.
    package var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    /// Takes the current version.
    package init(_ directory: CurrentDirectory, _ caller: Caller) {
        snapshot = directory.snapshot
        subject = snapshot.directory.subject(of: caller.principal)
    }
}

/// A list of one reader in one order, whose sorted ids are kept in one version of the directory, so that the cost of a further page depends
/// only on its items.
///
/// The cost of the first page of a list and of the first search in it, after each change of the tenancy, is proportional to the
/// number of objects that its reader sees. Only lists that do not depend on the time are kept.
package struct ListKey: Hashable, Sendable {
    let principal: Principal
    let list: List
    let order: String?
    let isDescending: Bool

    /// The objects of a list.
    package enum List: Hashable, Sendable {
        /// All objects of a type that the reader sees.
        case portfolios, devices, users, guestAccesses
        /// All properties, or those of one portfolio.
        case properties(PortfolioID?)
        /// All units, or those of one property.
        case units(PropertyID?)
    }
}

/// A search for names that contain a text, ignoring case.
package struct NameSearch: Hashable, Sendable {
    private let text: String
    fileprivate let bytes: [UInt8]
    /// Whether it can be searched for in `SearchableNames`; another text is compared with each name.
    fileprivate let isASCII: Bool

    /// - Parameter text: not empty.
    package init(_ text: String) {
        self.text = text.lowercased()
        bytes = Array(self.text.utf8)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// Whether a name contains the text. Canonically equivalent texts are equal, such as a letter with an accent and the letter
    /// followed by a combining accent.
    package func matches(_ name: String) -> Bool {
        let name = name.lowercased()
        // Comparing bytes is much faster, and sufficient unless both texts may have combining characters.
        return isASCII || name.utf8.allSatisfy { $0 < 0x80 } ? Self.contains(name.utf8, bytes) : name.contains(text)
    }

    /// Much faster than the generic search for a sequence.
    private static func contains(_ name: String.UTF8View, _ bytes: [UInt8]) -> Bool {
        var rest = name[...]
        while rest.count >= bytes.count {
            if rest.starts(with: bytes) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// The names of a list in lower case, one after the other, so that a search reads memory in order.
struct SearchableNames: Sendable {
    /// A byte that no UTF-8 text contains.
    private static let separator: UInt8 = 0xFF

    /// Each name, followed by the separator.
    private let bytes: [UInt8]
    /// The index of the separator after each name.
    private let ends: [Int]

    /// - Parameter names: `nil` for an object without a name, which no search selects.
    init(_ names: [String?]) {
        var (bytes, ends): ([UInt8], [Int]) = ([], [])
        for name in names {
            bytes += (name ?? "").lowercased().utf8
            ends.append(bytes.count)
            bytes.append(Self.separator)
        }
        (self.bytes, self.ends) = (bytes, ends)
    }

    /// The numbers of the names that contain a text in lower case, ascending.
    func numbers(containing text: [UInt8]) -> [Int] {
        guard let first = text.first else { return [] }
        var (found, number): ([Int], Int) = ([], 0)
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            // `memchr` finds candidates many bytes at a time.
            while start + text.count <= bytes.count, let hit = memchr(base + start, Int32(first), bytes.count - start) {
                let index = UnsafeRawPointer(hit) - base
                guard index + text.count <= bytes.count, memcmp(hit, text, text.count) == 0 else {
                    start = index + 1
                    continue
                }
                while ends[number] <= index { number += 1 }
                found.append(number)
                start = ends[number] + 1
            }
        }
        return found
    }
}
