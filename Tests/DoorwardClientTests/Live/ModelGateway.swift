import FoundationEssentials
import Synchronization

@testable import DoorwardClient

/// A gateway that keeps the rules of the stream, with its whole world in memory: locks of properties and records of logs.
///
/// `pump` sends the differences between what the client has and the world. Connections break, also between two events, and are
/// resumed from any position whose state is still known.
final class ModelGateway: LiveTransport {
    private struct Mirror {
        var names: [String: StreamSubscription] = [:]
        var sent: [String: [String: Device]] = [:]
        var nextRecord: [String: Int] = [:]
        var ready: Set<String> = []
        var resets: Set<String> = []
    }

    private struct Connection {
        let receive: @Sendable ([UInt8]) async -> Void
        let end: CheckedContinuation<Void, any Error>
        let number: Int
        var isResumed: Bool
        var hasBegun = false
    }

    private struct State {
        var doors: [String: Device] = [:]
        var records: [Doorward.AccessRecord] = []
        var mirror = Mirror()
        var positions: [String: Mirror] = [:]
        var connection: Connection?
        var events = 0
        var openings = 0
        var resumptions = 0
    }

    private let state = Mutex(State())

    var doors: [String: Device] { state.withLock { $0.doors } }
    var records: [Doorward.AccessRecord] { state.withLock { $0.records } }
    var counts: (openings: Int, resumptions: Int) { state.withLock { ($0.openings, $0.resumptions) } }
    var isConnected: Bool { state.withLock { $0.connection != nil } }

    func set(_ id: String, _ door: Device?) { state.withLock { $0.doors[id] = door } }
    func append(_ record: Doorward.AccessRecord) { state.withLock { $0.records.append(record) } }
    /// Forgets from where streams can be resumed, as a restart does.
    func forgetPositions() { state.withLock { $0.positions = [:] } }

    func disconnect() {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        connection?.end.resume(throwing: DoorwardError.noResponse("broken"))
    }

    static func selects(_ subscription: StreamSubscription, _ door: Device) -> Bool {
        subscription.type == .device
            && (subscription.query.isEmpty || subscription.query == "propertyId=\(door.propertyId ?? "")")
    }

    // MARK: - Sending

    /// Sends what the client lacks, at most `limit` events.
    func pump(limit: Int = .max, pieces: @Sendable ([UInt8]) -> [[UInt8]] = { [$0] }) async {
        var count = 0
        while count < limit, let (bytes, receive) = nextEvent() {
            for piece in pieces(bytes) { await receive(piece) }
            count += 1
        }
    }

    private func nextEvent() -> ([UInt8], @Sendable ([UInt8]) async -> Void)? {
        state.withLock { state in
            guard let connection = state.connection, let (type, data) = next(&state) else { return nil }
            state.events += 1
            let id = "p\(state.events)"
            state.positions[id] = state.mirror
            return (Array("id: \(id)\r\nevent: \(type)\r\ndata: \(data)\r\n\r\n".utf8), connection.receive)
        }
    }

    private func next(_ state: inout State) -> (String, String)? {
        if state.connection?.hasBegun == false {
            state.connection?.hasBegun = true
            return ("stream", #"{"streamId":"\#(state.openings)","resumed":\#(state.connection?.isResumed ?? false)}"#)
        }
        for (name, subscription) in state.mirror.names.sorted(by: { $0.key < $1.key }) {
            if state.mirror.resets.remove(name) != nil { return ("reset", #"{"name":"\#(name)"}"#) }
            if subscription.type == .accessRecord {
                if let event = nextRecord(name, subscription, &state) { return event }
            } else if let event = nextDoor(name, subscription, &state) {
                return event
            }
            if state.mirror.ready.insert(name).inserted { return ("ready", #"{"name":"\#(name)"}"#) }
        }
        return nil
    }

    private func nextDoor(_ name: String, _ subscription: StreamSubscription, _ state: inout State) -> (String, String)? {
        let selected = state.doors.filter { Self.selects(subscription, $0.value) }
        let sent = state.mirror.sent[name] ?? [:]
        if let id = sent.keys.sorted().first(where: { selected[$0] == nil }) {
            state.mirror.sent[name]?[id] = nil
            return ("removed", #"{"names":["\#(name)"],"type":"device","id":"\#(id)"}"#)
        }
        guard let door = selected.values.sorted(by: { $0.id < $1.id }).first(where: { sent[$0.id] != $0 }) else { return nil }
        state.mirror.sent[name, default: [:]][door.id] = door
        return state.mirror.ready.contains(name)
            ? ("change", #"{"names":["\#(name)"],"type":"device","object":\#(json(door))}"#)
            : ("snapshot", #"{"name":"\#(name)","type":"device","objects":[\#(json(door))],"last":false}"#)
    }

    private func nextRecord(_ name: String, _ subscription: StreamSubscription, _ state: inout State) -> (String, String)? {
        let next: Int
        if let known = state.mirror.nextRecord[name] {
            next = known
        } else if subscription.query.hasPrefix("from=") {
            let from = Doorward.Instant(String(subscription.query.dropFirst(5)).replacing("%3A", with: ":"))
            next = state.records.firstIndex { $0.at >= from ?? $0.at } ?? state.records.count
        } else {
            next = max(0, state.records.count - 3)
        }
        state.mirror.nextRecord[name] = next
        guard next < state.records.count else { return nil }
        state.mirror.nextRecord[name] = next + 1
        let record = json(state.records[next])
        return state.mirror.ready.contains(name)
            ? ("change", #"{"names":["\#(name)"],"type":"accessRecord","object":\#(record)}"#)
            : ("snapshot", #"{"name":"\#(name)","type":"accessRecord","objects":[\#(record)],"last":false}"#)
    }

    private func json(_ value: some Encodable) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    // MARK: - LiveTransport

    func renew() async throws {}

    func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws {
        let number = state.withLock { state in
            state.openings += 1
            return state.openings
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return end.resume(throwing: CancellationError()) }
                state.withLock { state in
                    let known = request.lastEventID.flatMap { state.positions[$0] }
                    let resumed = known.flatMap { $0.names == request.subscriptions ? $0 : nil }
                    state.resumptions += resumed == nil ? 0 : 1
                    state.connection = Connection(receive: receive, end: end, number: number, isResumed: resumed != nil)
                    state.mirror = resumed ?? Mirror(names: request.subscriptions)
                    if let resumed {
                        state.mirror.ready.subtract(resumed.names.keys)
                    } else if request.lastEventID != nil {
                        state.mirror.resets = Set(request.subscriptions.keys)
                    }
                    // A resumed name sends changes, and then that it is ready.
                    if let resumed { state.mirror.ready = resumed.ready }
                }
            }
        } onCancel: {
            let connection = state.withLock { state -> Connection? in
                guard state.connection?.number == number else { return nil }
                defer { state.connection = nil }
                return state.connection
            }
            connection?.end.resume(throwing: CancellationError())
        }
    }

    func put(_ name: String, _ subscription: StreamSubscription, stream: String) async throws {
        try state.withLock { state in
            guard state.connection != nil, stream == "\(state.openings)" else {
                throw DoorwardError.refused(.init(status: 404, code: "not_found"))
            }
            state.mirror.names[name] = subscription
        }
    }

    func delete(_ name: String, stream: String) async throws {
        state.withLock { state in
            guard stream == "\(state.openings)" else { return }
            (state.mirror.names[name], state.mirror.sent[name], state.mirror.nextRecord[name]) = (nil, nil, nil)
            state.mirror.ready.remove(name)
        }
    }
}
