/// The queue of reports of one lock, part of a state that a mutex protects. Reports are delivered one at a time, in order, and
/// without the mutex, because the receiver may send the next command from inside `receive`.
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

    /// Creates a closed outbox.
    package init() {}

    /// Whether the outbox has a receiver.
    package var isOpen: Bool { receiver != nil }

    /// Opens the outbox: from now on reports are delivered to this receiver.
    package mutating func open(to receiver: any ReportReceiver) { self.receiver = receiver }

    /// Drops the reports that have not been delivered. A call of `receive` that has begun is not interrupted.
    package mutating func close() { (receiver, waiting) = (nil, []) }

    /// Appends elements to be delivered; drops them while the outbox is closed.
    package mutating func append(contentsOf elements: some Sequence<Element>) {
        if isOpen { waiting.append(contentsOf: elements) }
    }

    /// Removes and returns the next element, for the caller to deliver.
    ///
    /// - Parameter isFirst: whether this is the first call in the caller's loop. If another loop is delivering, on another thread
    ///   or further up the call stack, that loop delivers the remaining elements too.
    /// - Returns: `nil` if there is nothing to deliver, or if another loop is delivering.
    package mutating func next(isFirst: Bool) -> (element: Element, receiver: any ReportReceiver)? {
        if isFirst, isDelivering { return nil }
        isDelivering = false
        guard let receiver, !waiting.isEmpty else { return nil }
        isDelivering = true
        return (waiting.removeFirst(), receiver)
    }
}
