import AdapterSerial
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization

/// A simulated controller with locks on a virtual clock: the other end of the adapter's byte stream.
final class PlayedController: ByteStream {
    /// The controller sends its bytes in pieces of this length, so that a piece can end anywhere in a line.
    private static let pieceLength = 5
    private static let travelTime = Duration.milliseconds(200)
    private static let lateTravelTime = Duration.seconds(30)

    private let clock: VirtualClock
    private let executor: SeededExecutor
    private let state = Mutex(State())

    private struct Lock {
        var bolt = LockState.locked
        var manner = LockBehavior.prompt
        var orders: [LockOperation] = []
    }

    private struct State {
        var onEvent: (@Sendable (ByteStreamEvent) -> Void)?
        var isCut = false
        var isFull = false
        var locks: [Int: Lock] = [:]
    }

    init(clock: VirtualClock, executor: SeededExecutor) { (self.clock, self.executor) = (clock, executor) }

    // MARK: - The byte stream

    func open(_ onEvent: @escaping @Sendable (ByteStreamEvent) -> Void) {
        let isCut = state.withLock { state in
            state.onEvent = onEvent
            return state.isCut
        }
        if !isCut { onEvent(.connected) }
    }

    func close() { state.withLock { $0.onEvent = nil } }

    func write(_ bytes: [UInt8]) throws(ByteStreamError) {
        let failure: ByteStreamError? = state.withLock { state in
            state.onEvent == nil || state.isCut ? .disconnected : state.isFull ? .full : nil
        }
        if let failure { throw failure }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") { take(line.split(separator: " ")) }
    }

    // MARK: - Control by tests

    func setCut(_ isCut: Bool) {
        let onEvent = state.withLock { state in
            state.isCut = isCut
            return state.onEvent
        }
        onEvent?(isCut ? .disconnected : .connected)
    }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func set(_ manner: LockBehavior, of lock: Int) {
        let old = state.withLock { state in
            defer { state.locks[lock, default: Lock()].manner = manner }
            return state.locks[lock]?.manner
        }
        if manner == .away { say("AWAY \(lock)") } else if old == .away { say("BACK \(lock)") }
    }

    func speak(_ lock: Int) { say("STATE \(lock) \(bolt(lock).rawValue)", "BATTERY \(lock) 80", unlessAway: lock) }

    func turn(_ lock: Int) {
        let bolt = state.withLock { state in
            let bolt: LockState = state.locks[lock, default: Lock()].bolt == .locked ? .unlocked : .locked
            state.locks[lock, default: Lock()].bolt = bolt
            return bolt
        }
        say("TURNED \(lock) \(bolt.rawValue)", unlessAway: lock)
    }

    func orders(at lock: Int) -> [LockOperation] { state.withLock { $0.locks[lock]?.orders ?? [] } }

    /// Sends these lines, valid or not.
    func say(_ lines: String..., unlessAway lock: Int? = nil) {
        let onEvent = state.withLock { state in
            state.isCut || lock.flatMap { state.locks[$0]?.manner } == .away ? nil : state.onEvent
        }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
            onEvent?(.received(Array(bytes[start..<min(start + Self.pieceLength, bytes.count)])))
        }
    }

    // MARK: - The locks

    private func manner(_ lock: Int) -> LockBehavior { state.withLock { $0.locks[lock]?.manner ?? .prompt } }

    private func bolt(_ lock: Int) -> LockState { state.withLock { $0.locks[lock]?.bolt ?? .locked } }

    private func take(_ words: [Substring]) {
        guard words.count >= 2, let lock = Int(words[1]) else { return }
        if words[0] == "STATE" { return later(.milliseconds(10)) { $0.sayState(lock) } }
        let manner = manner(lock)
        guard words.count == 3, let operation = LockOperation(rawValue: String(words[0])), manner != .away else { return }
        let target: LockState = operation == .lock ? .locked : operation == .unlock ? .unlocked : .unlatched
        state.withLock { $0.locks[lock, default: Lock()].orders.append(operation) }
        let answer = "\(lock) \(words[2])"
        switch manner {
        case .prompt: later(Self.travelTime) { $0.arrive(lock, at: target, answer) }
        case .late: later(Self.lateTravelTime) { $0.arrive(lock, at: target, answer) }
        case .silent: state.withLock { $0.locks[lock]?.bolt = target }
        case .jamming: later(Self.travelTime) { $0.say("OK \(answer) JAMMED", unlessAway: lock) }
        case .refusing: later(Self.travelTime) { $0.say("ERR \(answer) BUSY", unlessAway: lock) }
        case .away: break
        }
    }

    private func sayState(_ lock: Int) {
        say(manner(lock) == .away ? "AWAY \(lock)" : "STATE \(lock) \(bolt(lock).rawValue)")
    }

    private func arrive(_ lock: Int, at target: LockState, _ answer: String) {
        state.withLock { $0.locks[lock]?.bolt = target }
        say("OK \(answer) \(target.rawValue)", unlessAway: lock)
    }

    private func later(_ delay: Duration, _ body: @escaping @Sendable (PlayedController) -> Void) {
        let due = clock.monotonicNow().advanced(by: delay)
        Task(executorPreference: executor) {
            try await self.clock.sleep(until: due)
            body(self)
        }
    }
}
