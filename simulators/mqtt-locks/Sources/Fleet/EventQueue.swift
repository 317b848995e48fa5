/// A queue of scheduled items by due time; items of the same time keep their insertion order.
struct EventQueue<Element: Sendable>: Sendable {
    private struct Item {
        let due: Duration
        let sequence: Int
        let element: Element

        func isBefore(_ other: Item) -> Bool { (due, sequence) < (other.due, other.sequence) }
    }

    /// A binary heap: no item is due before its parent.
    private var items: [Item] = []
    private var insertionCount = 0

    /// When the next item is due.
    var nextDue: Duration? { items.first?.due }

    mutating func insert(_ element: Element, at due: Duration) {
        items.append(Item(due: due, sequence: insertionCount, element: element))
        insertionCount += 1
        var child = items.count - 1
        while child > 0, items[child].isBefore(items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next item, if it is due by `now`.
    mutating func popFirst(dueBy now: Duration) -> (due: Duration, element: Element)? {
        guard let first = items.first, first.due <= now else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        siftDown()
        return (first.due, first.element)
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child].isBefore(items[least]) {
                least = child
            }
            guard least != parent else { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
