internal import DoorwardDomain

/// An element of an `EntityTable`.
protocol TableEntry: Sendable {
    associatedtype Entity
    var id: EntityID<Entity> { get }
}

/// All entities of one kind by id: a persistent dictionary. A lookup takes two memory accesses, and
/// a copy costs nothing. The slot of an entity changes only when another entity is removed.
struct EntityTable<Entry: TableEntry>: Sendable {
    private var index = SlotIndex<Entry.Entity>()
    private var entries = PersistentArray<Entry>()

    var count: Int { entries.count }
    var ids: [EntityID<Entry.Entity>] { entries.map(\.id) }

    @inline(__always)
    func slot(of id: EntityID<Entry.Entity>) -> Int? {
        index.slot(of: id, in: entries)
    }

    subscript(id: EntityID<Entry.Entity>) -> Entry? {
        @inline(__always)
        get { slot(of: id).map { entries[$0] } }
    }

    subscript(slot slot: Int) -> Entry {
        @inline(__always)
        get { entries[slot] }
    }

    /// Adds the entry, or replaces the entry with the same id.
    ///
    /// - Returns: the entry's slot; a new entry gets the slot after the last one.
    @discardableResult
    mutating func put(_ entry: Entry) -> Int {
        if let slot = slot(of: entry.id) {
            entries[slot] = entry
            return slot
        }
        entries.append(entry)
        index.insert(entry.id, at: entries.count - 1)
        return entries.count - 1
    }

    /// Removes an entry, and moves the last entry to its slot, so that no slot is empty.
    ///
    /// - Returns: the slot that the removed entry had; `nil` if there is no such entry.
    @discardableResult
    mutating func remove(_ id: EntityID<Entry.Entity>) -> Int? {
        guard let slot = slot(of: id) else { return nil }
        index.remove(id, at: slot)
        let last = entries.removeLast()
        if slot < entries.count {
            index.move(last.id, from: entries.count, to: slot)
            entries[slot] = last
        }
        return slot
    }
}

extension EntityTable: Sequence {
    func makeIterator() -> some IteratorProtocol<Entry> { entries.makeIterator() }
}
