internal import FoundationEssentials
internal import Synchronization

/// The records that a follower has not processed yet: at most `capacity`. If more arrive, they are dropped, and read from the gateway when
/// these have been processed, so that a slow follower neither misses a record nor fills the memory.
final class RecordBuffer: Sendable {
    typealias Entry = Verbatim<Doorward.AccessRecord>

    private struct State {
        var entries: [Entry] = []
        var cursor: RecordCursor
        var hasGap = false
        var failure: DoorwardError?
        var waiter: CheckedContinuation<Void, Never>?
    }

    static let capacity = 1000
    private let state: Mutex<State>

    init(after cursor: RecordCursor) { state = Mutex(State(cursor: cursor)) }

    var hasGap: Bool { state.withLock { $0.hasGap } }

    /// Adds a record, unless it is known.
    func offer(_ entry: Entry) {
        change { state in
            if state.entries.count >= Self.capacity { state.hasGap = true }
            guard !state.hasGap, state.cursor.insert(entry.value) else { return }
            state.entries.append(entry)
        }
    }

    /// Notes a record that was written before following began.
    func skip(_ record: Doorward.AccessRecord) { state.withLock { _ = $0.cursor.insert(record) } }

    /// From this position on, the stream may have omitted records.
    func markGap() { change { $0.hasGap = true } }

    func fail(_ error: DoorwardError) { change { $0.failure = error } }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    enum Step {
        case entries([Entry])
        /// Everything before the gap was processed; continue reading after this position.
        case gap(RecordCursor)
        case failed(DoorwardError)
        case wait
    }

    /// What the follower does next.
    func step() -> Step {
        state.withLock { state in
            if !state.entries.isEmpty {
                defer { state.entries.removeAll(keepingCapacity: true) }
                return .entries(state.entries)
            }
            if state.hasGap { return .gap(state.cursor) }
            return state.failure.map { .failed($0) } ?? .wait
        }
    }

    /// Suspends until something changes, unless `step` returns something else than `wait`, or until the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    if Task.isCancelled || !state.entries.isEmpty || state.hasGap || state.failure != nil { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }
}

/// A name whose records are delivered to a follower, each once.
final class RecordUpstream: Upstream {
    let buffer: RecordBuffer
    /// Whether the first snapshot contains only records from before following began.
    private let skipsFirst: Bool
    private var wasReady = false

    init(name: String, subscription: StreamSubscription, buffer: RecordBuffer, skipsFirst: Bool) {
        (self.buffer, self.skipsFirst) = (buffer, skipsFirst)
        super.init(name: name, subscription: subscription)
    }

    override func connected(isResumed: Bool) {
        super.connected(isResumed: isResumed)
        if wasReady, !isResumed { buffer.markGap() }
    }

    override func snapshot(_ data: Data) throws {
        let records = try JSONDecoder().decode(SnapshotData<Doorward.AccessRecord>.self, from: data).objects
        if skipsFirst, !wasReady {
            for record in records { buffer.skip(record) }
        } else {
            let texts = JSONScanner.member("objects", of: data).flatMap { JSONScanner.items(of: $0) } ?? []
            for (record, json) in zip(records, texts) { buffer.offer(.init(record, json: json)) }
        }
    }

    override func change(_ data: Data) throws {
        let record = try JSONDecoder().decode(ChangeData<Doorward.AccessRecord>.self, from: data).object
        buffer.offer(.init(record, json: JSONScanner.member("object", of: data) ?? []))
    }

    override func ready() {
        super.ready()
        wasReady = true
    }

    override func refused(_ error: DoorwardError) {
        super.refused(error)
        buffer.fail(error)
    }
}

/// A record, and the position after it.
public struct FollowedRecord: Equatable, Sendable {
    /// The record, with its JSON as the gateway wrote it.
    package let entry: Verbatim<Doorward.AccessRecord>
    /// The position after the record.
    public let cursor: RecordCursor
    /// The record.
    public var record: Doorward.AccessRecord { entry.value }
}

/// Access records as they are written: each once and none left out, in the order of each log, over reconnections and restarts.
///
/// The sequence ends only with an error: after the session has ended, or when the right to the records is taken away.
public struct RecordSequence: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = FollowedRecord

    let engine: LiveEngine
    let query: LiveQuery<Doorward.AccessRecord>
    let cursor: RecordCursor?

    /// Begins to receive.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(engine, query, cursor) }

    /// Receives the records. Ending the iteration ends the subscription.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let engine: LiveEngine
        private let query: LiveQuery<Doorward.AccessRecord>
        private var cursor: RecordCursor
        private var isFromNow: Bool
        private var buffer: RecordBuffer?
        private var name: String?
        private var taken: ArraySlice<RecordBuffer.Entry> = []

        init(_ engine: LiveEngine, _ query: LiveQuery<Doorward.AccessRecord>, _ cursor: RecordCursor?) {
            (self.engine, self.query) = (engine, query)
            (self.cursor, isFromNow) = (cursor ?? RecordCursor(), cursor == nil)
        }

        deinit { Self.release(name, engine) }

        private static func release(_ name: String?, _ engine: LiveEngine) {
            if let name { Task { await engine.release(name) } }
        }

        /// The next record. Throws `DoorwardError`, or `CancellationError`.
        public func next() async throws -> FollowedRecord? {
            while true {
                if let record = nextTaken() { return record }
                try Task.checkCancellation()
                guard let buffer else {
                    await subscribe()
                    continue
                }
                switch buffer.step() {
                case .entries(let entries): taken = entries[...]
                case .gap(let position):
                    // The buffer also knows the records from before following began.
                    (cursor, isFromNow) = (position, false)
                    if let name { await engine.release(name) }
                    (self.buffer, name) = (nil, nil)
                case .failed(let error): throw error
                case .wait: await buffer.wait()
                }
            }
        }

        /// The next record and those that have arrived with it: at least one. Throws `DoorwardError`, or `CancellationError`.
        package func nextBatch() async throws -> [FollowedRecord] {
            guard let first = try await next() else { return [] }
            var batch = [first]
            while let record = nextTaken() { batch.append(record) }
            return batch
        }

        private func nextTaken() -> FollowedRecord? {
            guard let entry = taken.popFirst() else { return nil }
            _ = cursor.insert(entry.value)
            return FollowedRecord(entry: entry, cursor: cursor)
        }

        private func subscribe() async {
            let buffer = RecordBuffer(after: cursor)
            // Without a beginning, the gateway sends the newest records only.
            let from = cursor.from ?? Doorward.Instant(milliseconds: 0)
            let query = isFromNow ? query : query.with("from", "\(from)")
            name = await engine.acquireRecords(query, buffer: buffer, skipsFirst: isFromNow)
            self.buffer = buffer
        }
    }
}

extension Live {
    /// Follows access records: each once and none left out, over reconnections and restarts.
    ///
    /// - Parameter cursor: the position after the last record that was processed; `nil` begins now, `RecordCursor()` with the first
    ///   record, `RecordCursor(since:)` with an instant.
    public func follow(_ query: LiveQuery<Doorward.AccessRecord> = .all, after cursor: RecordCursor? = nil) -> RecordSequence {
        RecordSequence(engine: engine, query: query, cursor: cursor)
    }
}

/// The position of a follower of access records: which records it has received. Store its text together with what you derived from the
/// records, and follow from it after a restart.
public struct RecordCursor: Codable, Hashable, Sendable, CustomStringConvertible {
    private struct Position: Codable, Hashable, Sendable {
        var seq: UInt64
        var at: Doorward.Instant
    }

    /// By log. In a reduced view, records have neither a log nor a number.
    private var logs: [String: Position] = [:]
    /// The records of a reduced view that are not older than `overlap` before the latest one.
    private var recent: [String: Doorward.Instant] = [:]
    private var latest: Doorward.Instant?
    private var start: Doorward.Instant?
    /// Records before this instant were written before following began, except records of a known log.
    private var floor: Doorward.Instant?

    /// How far the records of different logs can be out of the order of their times.
    private static let overlap: Int64 = 60_000
    /// Logs that have been quiet for longer than this do not determine from when on records are read again.
    private static let maxReplay: Int64 = 86_400_000

    /// Before the first record.
    public init() {}

    /// Before the first record at or after an instant.
    public init(since instant: Doorward.Instant) { start = instant }

    /// After the newest records of a list.
    ///
    /// - Parameters:
    ///   - newest: the records in the order of the list, newest first.
    ///   - hasEarlier: whether the list has left out earlier records.
    ///   - since: the instant at which the list begins.
    package init(after newest: [Doorward.AccessRecord], hasEarlier: Bool, since: Doorward.Instant?) {
        (start, floor) = (since, since)
        for record in newest.reversed() { _ = insert(record) }
        if hasEarlier, let oldest = newest.last { floor = Doorward.Instant(milliseconds: oldest.at.milliseconds + 1) }
    }

    /// Reads the text of a cursor; `nil` for any other text.
    public init?(_ text: String) {
        guard let cursor = try? JSONDecoder().decode(RecordCursor.self, from: Data(text.utf8)) else { return nil }
        self = cursor
    }

    /// The text of the cursor.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Notes a record.
    ///
    /// - Returns: whether it is new.
    mutating func insert(_ record: Doorward.AccessRecord) -> Bool {
        let log = record.logId
        if log.flatMap({ logs[$0] }) == nil, let floor, record.at < floor { return false }
        if let log, let seq = record.seq {
            if let position = logs[log], seq <= position.seq { return false }
            logs[log] = Position(seq: seq, at: record.at)
        } else {
            if let latest, record.at.milliseconds < latest.milliseconds - Self.overlap { return false }
            guard recent.updateValue(record.at, forKey: record.id) == nil else { return false }
        }
        if latest.map({ $0 < record.at }) ?? true {
            latest = record.at
            recent = recent.filter { $0.value.milliseconds >= record.at.milliseconds - Self.overlap }
        }
        return true
    }

    /// The time from which on records have to be read again; `nil` for all.
    var from: Doorward.Instant? {
        guard let latest else { return start }
        var oldest = logs.values.map(\.at.milliseconds).min() ?? latest.milliseconds
        if !recent.isEmpty { oldest = min(oldest, latest.milliseconds - Self.overlap) }
        return Doorward.Instant(milliseconds: max(oldest, latest.milliseconds - Self.maxReplay))
    }
}
