/// What is to be reported of one lock, kept in a state that a mutex protects: delivered one report at a time, in order, and without
/// the mutex, since the receiver may send the next order from inside `receive`.
///
///     func deliver() {
///         var isFirst = true
///         while let (report, receiver) = state.withLock({ $0.outbox.next(isFirst: isFirst) }) {
///             isFirst = false
///             receiver.receive(report)
///         }
///     }
package struct ReportOutbox<Element: Sendable>: Sendable {
    private var receiver: (any ReportReceiver)?
    private var waiting: [Element] = []
    private var isDelivering = false

    /// Closed.
    package init() {}

    /// Whether there is a receiver.
    package var isOpen: Bool { receiver != nil }

    /// From now on reports are delivered to this receiver.
    package mutating func open(to receiver: any ReportReceiver) { self.receiver = receiver }

    /// Drops what was not delivered. A call of `receive` that has begun ends as it does.
    package mutating func close() { (receiver, waiting) = (nil, []) }

    /// Adds what is to be reported next; dropped while the outbox is closed.
    package mutating func append(contentsOf elements: some Sequence<Element>) {
        if isOpen { waiting.append(contentsOf: elements) }
    }

    /// Takes the next element out, for the caller to deliver.
    ///
    /// - Parameter isFirst: whether this is the first call of the caller's loop. Another loop, on another thread or further up this
    ///   one, may be delivering: it goes on with what is waiting.
    /// - Returns: `nil` where there is nothing to deliver, or where another loop delivers it.
    package mutating func next(isFirst: Bool) -> (element: Element, receiver: any ReportReceiver)? {
        if isFirst, isDelivering { return nil }
        isDelivering = false
        guard let receiver, !waiting.isEmpty else { return nil }
        isDelivering = true
        return (waiting.removeFirst(), receiver)
    }
}
