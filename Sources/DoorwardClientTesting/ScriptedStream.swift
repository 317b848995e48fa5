public import DoorwardClient
import FoundationEssentials
import Synchronization

/// A gateway's live stream that does what a test says: it opens, sends snapshots and changes, breaks, and is silent.
///
/// Each function waits until the client has subscribed to the names concerned, and returns when the client has processed what was sent, so
/// that a test needs no other waiting.
///
///     let stream = ScriptedStream()
///     let live = Live(scripted: stream, clock: clock)
///     let door = WatchedResult(watching: live.watch("d", in: .all))
///     await stream.open()
///     await stream.snapshot(.devices(), [Doorward.LockDevice(id: "d", name: "Front door")])
public final class ScriptedStream: LiveTransport {
    private struct Connection {
        let receive: @Sendable ([UInt8]) async -> Void
        let end: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var requests: [StreamRequest] = []
        var renewals = 0
        var connection: Connection?
        var names: [String: StreamSubscription] = [:]
        var failures: [DoorwardError] = []
        var nameFailures: [DoorwardError] = []
        var renewalFailures: [DoorwardError] = []
        var nextID = 0
        var streams = 0
        var log: [String] = []
    }

    private let state = Watchable(State())

    public init() {}

    // MARK: - What the client has done

    /// The number of times that the client has tried to open the stream, including failed attempts.
    public var openings: Int { state.read { $0.requests.count } }
    /// The number of times that the client has renewed its token.
    public var renewals: Int { state.read { $0.renewals } }
    /// The id of the last event that the client stated at its last opening; `nil` for a new stream.
    public var resumedFrom: String? { state.read { $0.requests.last?.lastEventID } }
    /// What the open stream, or the last one, is subscribed to.
    public var subscriptions: [Need] {
        state.read { $0.names.values.map(Self.need) }.sorted { $0.description < $1.description }
    }
    /// What the client has done, in order, such as `renew`, `open`, `put device`.
    public var log: [String] { state.read { $0.log } }

    private static func need(_ subscription: StreamSubscription) -> Need {
        let items = URLComponents(string: "?\(subscription.query)")?.queryItems ?? []
        return Need(type: subscription.type, filters: Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 })
    }

    /// Waits until the client has a stream open.
    public func waitForOpening() async { await state.wait { $0.connection != nil } }
    /// Waits until the client has opened the stream this number of times.
    public func waitForOpenings(_ count: Int) async { await state.wait { $0.requests.count >= count } }
    /// Waits until the open stream is subscribed to exactly these.
    public func waitForSubscriptions(_ needs: [Need]) async {
        let expected = Set(needs)
        await state.wait { $0.connection != nil && Set($0.names.values.map(Self.need)) == expected }
    }
    /// Waits until the client has closed the stream.
    public func waitForClosing() async { await state.wait { $0.connection == nil } }

    // MARK: - What the gateway does

    /// Refuses the next opening, or breaks it.
    public func failNextOpening(_ error: DoorwardError) { state.change { $0.failures.append(error) } }
    /// Refuses the next name that is added to an open stream, or drops the request.
    public func failNextName(_ error: DoorwardError) { state.change { $0.nameFailures.append(error) } }
    /// Refuses the next renewal of the token.
    public func failNextRenewal(_ error: DoorwardError) { state.change { $0.renewalFailures.append(error) } }

    /// Waits for an opening, and sends the first event.
    public func open(resumed: Bool = false) async {
        await waitForOpening()
        let number = state.change { state in
            state.streams += 1
            return state.streams
        }
        await send("stream", #"{"streamId":"s\#(number)","resumed":\#(resumed)}"#)
    }

    /// Sends objects of all names that are subscribed to a need and, unless more follow, that these are complete.
    public func snapshot<Noun: LiveNoun>(_ need: Need, _ objects: [Noun], last: Bool = true) async {
        for name in await subscribed(need) {
            await send(
                "snapshot", #"{"name":"\#(name)","type":"\#(need.type.rawValue)","objects":\#(json(objects)),"last":\#(last)}"#)
            if last { await send("ready", #"{"name":"\#(name)"}"#) }
        }
    }

    /// Sends an object that is new or has changed, under all names that are subscribed to one of the needs.
    public func change<Noun: LiveNoun>(_ needs: [Need], _ object: Noun) async {
        await send(
            "change",
            #"{"names":\#(json(await subscribed(needs))),"type":"\#(Noun.streamType.rawValue)","object":\#(json(object))}"#)
    }

    /// Sends that an object is no longer selected.
    public func removed(_ needs: [Need], _ id: String) async {
        let type = needs.first?.type.rawValue ?? ""
        await send("removed", #"{"names":\#(json(await subscribed(needs))),"type":"\#(type)","id":"\#(id)"}"#)
    }

    /// Sends that the right to everything that a need selects has ended.
    public func revoked(_ need: Need) async { await send("revoked", need) }
    /// Sends that a name cannot be subscribed to.
    public func refused(_ need: Need, code: String) async { await send("refused", need, #","code":"\#(code)","details":{}"#) }
    /// Sends that a name cannot be resumed.
    public func reset(_ need: Need) async { await send("reset", need) }
    /// Sends that all names of a need are complete.
    public func ready(_ need: Need) async { await send("ready", need) }
    /// Sends the heartbeat.
    public func position() async { await send("position", #"{"at":"2026-11-21T08:00:00.000Z"}"#) }

    /// Sends the last event, and ends the stream.
    public func close(reason: String, retryAfterMilliseconds: Int) async {
        await send("closing", #"{"reason":"\#(reason)","retryAfterMs":\#(retryAfterMilliseconds)}"#)
        disconnect(nil)
    }

    /// Breaks the connection.
    public func disconnect(_ error: DoorwardError? = .noResponse("the connection ended")) {
        let connection = state.change { state in
            defer { state.connection = nil }
            return state.connection
        }
        if let error { connection?.end.resume(throwing: error) } else { connection?.end.resume() }
    }

    /// - Parameter members: those after the name, with a leading comma.
    private func send(_ type: String, _ need: Need, _ members: String = "") async {
        for name in await subscribed(need) { await send(type, #"{"name":"\#(name)"\#(members)}"#) }
    }

    /// Sends any event. The client has processed it when this returns.
    public func send(_ type: String, _ data: String) async {
        let (id, receive) = state.change { state in
            state.nextID += 1
            return ("e\(state.nextID)", state.connection?.receive)
        }
        await receive?(Array("id: \(id)\nevent: \(type)\ndata: \(data)\n\n".utf8))
    }

    /// Sends bytes as they are.
    public func send(bytes: [UInt8]) async { await state.read { $0.connection?.receive }?(bytes) }

    /// The names that the client has given to a need.
    public func names(of need: Need) -> [String] {
        state.read { $0.names.filter { Self.need($0.value) == need }.keys.sorted() }
    }

    private func subscribed(_ need: Need) async -> [String] {
        await state.wait { $0.connection != nil && $0.names.values.contains { Self.need($0) == need } }
        return names(of: need)
    }

    private func subscribed(_ needs: [Need]) async -> [String] {
        var names: [String] = []
        for need in needs { names += await subscribed(need) }
        return names
    }

    private func json(_ value: some Encodable) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    // MARK: - LiveTransport

    /// Renews the token.
    package func renew() async throws {
        let failure = state.change { state in
            state.renewals += 1
            state.log.append("renew")
            return state.renewalFailures.isEmpty ? nil : state.renewalFailures.removeFirst()
        }
        if let failure { throw failure }
    }

    /// Opens the stream.
    package func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws {
        let (number, failure) = state.change { state in
            state.requests.append(request)
            state.log.append("open")
            return (state.requests.count, state.failures.isEmpty ? nil : state.failures.removeFirst())
        }
        if let failure { throw failure }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
                let isCancelled = state.change { state in
                    if Task.isCancelled { return true }
                    (state.connection, state.names) = (Connection(receive: receive, end: end), request.subscriptions)
                    return false
                }
                if isCancelled { end.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let connection: Connection? = state.change { state in
                guard state.requests.count == number else { return nil }
                defer { state.connection = nil }
                return state.connection
            }
            connection?.end.resume(throwing: CancellationError())
        }
    }

    /// Adds a name.
    package func put(_ name: String, _ subscription: StreamSubscription, stream _: String) async throws {
        let failure: DoorwardError? = state.change { state in
            state.log.append("put \(subscription.type.rawValue)")
            guard state.nameFailures.isEmpty else { return state.nameFailures.removeFirst() }
            state.names[name] = subscription
            return nil
        }
        if let failure { throw failure }
    }

    /// Removes a name.
    package func delete(_ name: String, stream _: String) async throws {
        state.change { state in
            let removed = state.names.removeValue(forKey: name)
            state.log.append("delete \(removed?.type.rawValue ?? "?")")
        }
    }
}

extension Live {
    /// Creates a live stream that a test scripts.
    ///
    /// - Parameter random: in [0, 1); determines how long the client waits before it opens the stream again.
    public convenience init(
        scripted stream: ScriptedStream, clock: any LiveClock = VirtualLiveClock(),
        random: @escaping @Sendable () -> Double = { 0.5 }
    ) {
        self.init(transport: stream, clock: clock, random: random)
    }
}

extension WatchedResult {
    /// Watches a sequence, as the functions of the library do.
    public convenience init(watching sequence: WatchSequence<Value>) { self.init(sequence) }
}

/// A clock for the client library that advances only when a test advances it.
public final class VirtualLiveClock: LiveClock {
    private struct Sleeper {
        let ticket: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var uptime = Duration.zero
        var start: Int64
        var sleepers: [Sleeper] = []
        var tickets = 0
        var wakeUps = 0
    }

    private let state: Watchable<State>

    /// - Parameter start: the initial wall time in milliseconds since 1970.
    public init(start: Int64 = 1_795_248_000_000) { state = Watchable(State(start: start)) }

    /// The wall time.
    public var now: Doorward.Instant {
        state.read { state in
            let (seconds, attoseconds) = state.uptime.components
            return Doorward.Instant(milliseconds: state.start + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        }
    }

    /// The time since some start.
    public var uptime: Duration { state.read { $0.uptime } }

    /// The number of sleeps that ended because their time had come.
    public var wakeUps: Int { state.read { $0.wakeUps } }
    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.read { $0.sleepers.count } }
    /// The deadlines of the tasks that sleep.
    public var deadlines: [Duration] { state.read { $0.sleepers.map(\.deadline).sorted() } }

    /// Suspends until the time is reached. Throws `CancellationError`.
    public func sleep(until instant: Duration) async throws {
        let ticket = state.change { state in
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.change { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if instant <= state.uptime { return .success(()) }
                    state.sleepers.append(Sleeper(ticket: ticket, deadline: instant, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.change { state in
                state.sleepers.firstIndex { $0.ticket == ticket }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances both times, and wakes each task whose deadline is reached.
    public func advance(by duration: Duration) {
        let due = state.change { state in
            state.uptime += duration
            let limit = state.uptime
            let due = state.sleepers.filter { $0.deadline <= limit }.sorted {
                ($0.deadline, $0.ticket) < ($1.deadline, $1.ticket)
            }
            state.sleepers.removeAll { $0.deadline <= limit }
            state.wakeUps += due.count
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Suspends until at least this many tasks sleep.
    public func waitForSleepers(_ count: Int) async { await state.wait { $0.sleepers.count >= count } }
}

/// A state for whose changes a test can wait.
private final class Watchable<State: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let content: Mutex<(state: State, waiters: [Waiter])>

    init(_ state: State) { content = Mutex((state, [])) }

    func read<Result: Sendable>(_ body: (State) -> Result) -> Result { content.withLock { body($0.state) } }

    /// Changes the state, and resumes those who have waited for what is now met.
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, due) = content.withLock { content -> (Result, [Waiter]) in
            let result = body(&content.state)
            let state = content.state
            let due = content.waiters.filter { $0.isMet(state) }
            content.waiters.removeAll { $0.isMet(state) }
            return (result, due)
        }
        for waiter in due { waiter.continuation.resume() }
        return result
    }

    func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = content.withLock { content in
                if isMet(content.state) { return true }
                content.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }
}
