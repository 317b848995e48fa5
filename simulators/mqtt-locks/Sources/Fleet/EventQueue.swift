/// A queue of scheduled items by due time; items of the same time keep their insertion order.
struct EventQueue<Entry: Sendable>: Sendable {
    private struct Item {
        let due: Duration
        let order: Int
        let entry: Entry

        func isBefore(_ other: Item) -> Bool { (due, order) < (other.due, other.order) }
    }

    /// A binary heap: no item is due before its parent.
    private var items: [Item] = []
    private var noted = 0

    /// When the next item is due.
    var next: Duration? { items.first?.due }

    mutating func note(_ entry: Entry, at due: Duration) {
        items.append(Item(due: due, order: noted, entry: entry))
        noted += 1
        var child = items.count - 1
        while child > 0, items[child].isBefore(items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next item, if it is due by `now`.
    mutating func take(by now: Duration) -> (due: Duration, entry: Entry)? {
        guard let first = items.first, first.due <= now else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        sink()
        return (first.due, first.entry)
    }

    private mutating func sink() {
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
