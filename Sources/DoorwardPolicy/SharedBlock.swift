/// Some elements in one block of memory that several versions of a value share until one of them changes it.
///
/// Memory is handled by hand, as in `HeldRoles` and for the same reason: an array would count a reference for each look into
/// it, which is a write to memory that is not in the cache. Here `elements` is a bare address beside its owner.
struct SharedBlock<Element: Sendable>: Sendable {
    private var owner: Owner
    /// The elements; those below `owner.count` are there. Valid while the block is.
    ///
    /// `nonisolated(unsafe)`: an address is not `Sendable` by itself. It is that of `owner`, which is, and changes with it alone.
    nonisolated(unsafe) private(set) var elements: UnsafeMutablePointer<Element>  // That of `owner`, which is `Sendable`.

    /// `@unchecked Sendable`: written only while one value alone holds it, which `makeUnique` sees to, and only read as soon as
    /// there are two.
    private final class Owner: @unchecked Sendable {  // Written while one value alone holds it.
        let elements: UnsafeMutablePointer<Element>
        let capacity: Int
        var count = 0

        init(capacity: Int) {
            elements = .allocate(capacity: capacity)
            self.capacity = capacity
        }

        init(copying other: Owner) {
            elements = .allocate(capacity: other.capacity)
            (capacity, count) = (other.capacity, other.count)
            elements.initialize(from: other.elements, count: count)
        }

        deinit {
            elements.deinitialize(count: count)
            elements.deallocate()
        }
    }

    init(capacity: Int) {
        owner = Owner(capacity: capacity)
        elements = owner.elements
    }

    /// Copies the elements unless this value alone holds them. Before each write.
    mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&owner) else { return }
        owner = Owner(copying: owner)
        elements = owner.elements
    }

    /// Adds an element; there must be room, and nobody else may hold the block.
    mutating func append(_ element: Element) {
        precondition(owner.count < owner.capacity)
        (elements + owner.count).initialize(to: element)
        owner.count += 1
    }

    /// Takes the last element out, which must be there; nobody else may hold the block.
    mutating func removeLast() {
        precondition(owner.count > 0)
        owner.count -= 1
        (elements + owner.count).deinitialize(count: 1)
    }
}
