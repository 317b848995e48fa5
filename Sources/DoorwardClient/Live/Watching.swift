public import Observation

/// Where a watched value comes from.
public enum WatchSource: Hashable, Sendable {
    /// Kept from an earlier subscription. It may have changed since.
    case cache
    /// From the gateway, and complete.
    case server
}

/// A watched value.
public struct Watched<Value: Sendable>: Sendable {
    /// The whole newest value.
    public let value: Value
    /// Where it comes from.
    public let source: WatchSource
    /// Whether the gateway has been silent, so that the value may have changed.
    public let isStale: Bool
}

/// When a new value counts as a change.
public struct ChangeDetection<Value: Sendable>: Sendable {
    let isChange: @Sendable (_ old: Value, _ new: Value) -> Bool

    /// Creates a detection of its own.
    public init(_ isChange: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool) { self.isChange = isChange }

    /// By one property, such as a version.
    public static func by<Property: Equatable & SendableMetatype>(_ property: @escaping @Sendable (Value) -> Property) -> Self {
        Self { property($0) != property($1) }
    }
}

extension ChangeDetection where Value: Equatable {
    /// Any difference is a change.
    public static var equality: Self { Self { $0 != $1 } }
}

/// The newest values of a query or an object. A slow consumer receives fewer of them, always the newest. The sequence throws only permanent
/// errors: the session has ended, the right was revoked, or the object does not exist.
public struct WatchSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Watched<Value>

    let start: @Sendable () async -> AsyncThrowingStream<Watched<Value>, any Error>

    /// Begins to receive.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }

    /// Receives the values. Ending the iteration ends the subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let start: @Sendable () async -> AsyncThrowingStream<Watched<Value>, any Error>
        private var iterator: AsyncThrowingStream<Watched<Value>, any Error>.Iterator?

        init(start: @escaping @Sendable () async -> AsyncThrowingStream<Watched<Value>, any Error>) { self.start = start }

        /// The next value. Throws `DoorwardError`.
        public mutating func next() async throws -> Watched<Value>? {
            if iterator == nil { iterator = await start().makeAsyncIterator() }
            return try await iterator?.next()
        }
    }
}

/// A watched value for views: observable, and always the newest. It ends with its last reference.
@MainActor @Observable public final class WatchedResult<Value: Sendable> {
    /// The newest value; the last one after an error. `nil` before there is one.
    public private(set) var value: Value?
    /// What is wrong; `nil` if nothing is.
    public private(set) var error: DoorwardError?
    /// Whether nothing has come from the gateway yet.
    public private(set) var isLoading: Bool
    /// Where the value comes from; `nil` if there is none.
    public private(set) var source: WatchSource?
    /// Whether the gateway has been silent, so that the value may have changed.
    public private(set) var isStale = false

    // The task ends with the object. It is written only before the object is shared.
    @ObservationIgnored private var task: Task<Void, Never>?

    /// A result that watches nothing.
    public init() { isLoading = false }

    /// Watches a sequence until the last reference is released.
    package init(_ sequence: WatchSequence<Value>) {
        isLoading = true
        task = Task { [weak self] in
            do {
                for try await watched in sequence {
                    guard let self else { return }
                    self.show(watched)
                }
            } catch {
                self?.fail(error)
            }
        }
    }

    isolated deinit { task?.cancel() }

    private func show(_ watched: Watched<Value>) {
        value = watched.value
        if source != watched.source { source = watched.source }
        if isStale != watched.isStale { isStale = watched.isStale }
        if error != nil { error = nil }
        if isLoading, watched.source == .server { isLoading = false }
    }

    private func fail(_ failure: any Error) {
        guard let failure = failure as? DoorwardError else { return }
        error = failure
        if isLoading { isLoading = false }
    }
}

extension Live {
    /// Watches the objects of a query, sorted by id.
    public func watch<Noun: LiveNoun>(_ query: LiveQuery<Noun>) -> WatchSequence<[Noun]> {
        sequence(query, .equality) { objects, _ in objects.values.sorted { $0.id < $1.id } }
    }

    /// Watches one object, which a query has.
    ///
    /// - Parameter changes: which differences count as a change.
    public func watch<Noun: LiveNoun>(
        _ id: String, in query: LiveQuery<Noun>, changes: ChangeDetection<Noun> = .equality
    ) -> WatchSequence<Noun> {
        sequence(query, changes) { objects, isReady in
            if objects[id] == nil, isReady { throw DoorwardError.notLoaded }
            return objects[id]
        }
    }

    /// Maps the updates of a query to values, and passes on those that differ.
    private func sequence<Noun: LiveNoun, Value: Sendable>(
        _ query: LiveQuery<Noun>, _ changes: ChangeDetection<Value>,
        _ map: @escaping @Sendable (_ objects: [String: Noun], _ isReady: Bool) throws -> Value?
    ) -> WatchSequence<Value> {
        WatchSequence { [self] in
            let subscription = await subscription(query)
            let (stream, continuation) = AsyncThrowingStream<Watched<Value>, any Error>.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            let task = Task {
                var last: Watched<Value>?
                do {
                    for await update in subscription.updates() {
                        if let failure = update.failure { throw failure }
                        let isReady = update.isReady && update.source == .server
                        guard let objects = update.objects, let value = try map(objects, isReady) else { continue }
                        let watched = Watched(value: value, source: update.source, isStale: update.isStale)
                        if let last, last.source == watched.source, last.isStale == watched.isStale,
                            !changes.isChange(last.value, value)
                        {
                            continue
                        }
                        last = watched
                        continuation.yield(watched)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
                await subscription.cancel()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }
    }
}
