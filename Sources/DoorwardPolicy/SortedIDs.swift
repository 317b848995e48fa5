package import DoorwardDomain

/// A few ids in ascending order without duplicates, in one block of memory.
///
/// The type is meant for the few ids of one unit, user or device, because adding an id copies the block.
package struct SortedIDs<Entity>: Hashable, Sendable {
    private var ids: ContiguousArray<EntityID<Entity>> = []

    package init() {}

    /// The ids of a sequence in any order; duplicates are dropped.
    package init(_ ids: some Sequence<EntityID<Entity>>) {
        for id in ids { insert(id) }
    }

    /// Whether `id` is contained, in logarithmic time.
    package func contains(_ id: EntityID<Entity>) -> Bool {
        let index = lowerBound(of: id)
        return index < ids.count && ids[index] == id
    }

    /// Adds `id` if it is not contained, in linear time.
    package mutating func insert(_ id: EntityID<Entity>) {
        let index = lowerBound(of: id)
        if index < ids.count && ids[index] == id { return }
        // Allocate exactly the required size: there are millions of these arrays, and most never change.
        var grown = ContiguousArray<EntityID<Entity>>()
        grown.reserveCapacity(ids.count + 1)
        grown += ids[..<index]
        grown.append(id)
        grown += ids[index...]
        ids = grown
    }

    /// Removes `id` if it is contained, in linear time.
    package mutating func remove(_ id: EntityID<Entity>) {
        let index = lowerBound(of: id)
        if index < ids.count && ids[index] == id { ids.remove(at: index) }
    }

    @inline(__always)
    private func lowerBound(of id: EntityID<Entity>) -> Int { ids.lowerBound { $0 < id } }
}

extension SortedIDs: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ids.count }
    package subscript(index: Int) -> EntityID<Entity> { ids[index] }
}

extension ContiguousArray {
    /// Returns the index of the first element for which `isBefore` is false. All elements for which it is true must come first.
    @inline(__always)
    func lowerBound(where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
