import AdapterSerial
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization

/// A simulated controller with locks on a virtual clock: the other end of the adapter's byte stream.
final class SimulatedController: ByteStream {
    /// The controller sends its bytes in pieces of this length, so that a piece can end anywhere in a line.
    private static let pieceLength = 5
    private static let travelTime = Duration.milliseconds(200)
    private static let lateTravelTime = Duration.seconds(30)

    private let clock: VirtualClock
    private let executor: SeededExecutor
    private let state = Mutex(State())

    private struct Lock {
        var bolt = LockState.locked
        var behavior = LockBehavior.prompt
        var receivedCommands: [LockOperation] = []
    }

    private struct State {
        var onEvent: (@Sendable (ByteStreamEvent) -> Void)?
        var isConnected = true
        var isFull = false
        var locks: [Int: Lock] = [:]
    }

    init(clock: VirtualClock, executor: SeededExecutor) { (self.clock, self.executor) = (clock, executor) }

    // MARK: - The byte stream

    func open(_ onEvent: @escaping @Sendable (ByteStreamEvent) -> Void) {
        let isConnected = state.withLock { state in
            state.onEvent = onEvent
            return state.isConnected
        }
        if isConnected { onEvent(.connected) }
    }

    func close() { state.withLock { $0.onEvent = nil } }

    func write(_ bytes: [UInt8]) throws(ByteStreamError) {
        let failure: ByteStreamError? = state.withLock { state in
            state.onEvent == nil || !state.isConnected ? .disconnected : state.isFull ? .full : nil
        }
        if let failure { throw failure }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") { receive(line.split(separator: " ")) }
    }

    // MARK: - Control by tests

    func setConnected(_ isConnected: Bool) {
        let onEvent = state.withLock { state in
            state.isConnected = isConnected
            return state.onEvent
        }
        onEvent?(isConnected ? .connected : .disconnected)
    }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func set(_ behavior: LockBehavior, of lock: Int) {
        let old = state.withLock { state in
            defer { state.locks[lock, default: Lock()].behavior = behavior }
            return state.locks[lock]?.behavior
        }
        if behavior == .offline { send("AWAY \(lock)") } else if old == .offline { send("BACK \(lock)") }
    }

    func sendReport(_ lock: Int) { send("STATE \(lock) \(bolt(lock).rawValue)", "BATTERY \(lock) 80", unlessOffline: lock) }

    func turn(_ lock: Int) {
        let bolt = state.withLock { state in
            let bolt: LockState = state.locks[lock, default: Lock()].bolt == .locked ? .unlocked : .locked
            state.locks[lock, default: Lock()].bolt = bolt
            return bolt
        }
        send("TURNED \(lock) \(bolt.rawValue)", unlessOffline: lock)
    }

    func receivedCommands(at lock: Int) -> [LockOperation] { state.withLock { $0.locks[lock]?.receivedCommands ?? [] } }

    /// Sends these lines, valid or not.
    func send(_ lines: String..., unlessOffline lock: Int? = nil) {
        let onEvent = state.withLock { state in
            !state.isConnected || lock.flatMap { state.locks[$0]?.behavior } == .offline ? nil : state.onEvent
        }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
            onEvent?(.received(Array(bytes[start..<min(start + Self.pieceLength, bytes.count)])))
        }
    }

    // MARK: - The locks

    private func behavior(_ lock: Int) -> LockBehavior { state.withLock { $0.locks[lock]?.behavior ?? .prompt } }

    private func bolt(_ lock: Int) -> LockState { state.withLock { $0.locks[lock]?.bolt ?? .locked } }

    private func receive(_ words: [Substring]) {
        guard words.count >= 2, let lock = Int(words[1]) else { return }
        if words[0] == "STATE" { return schedule(.milliseconds(10)) { $0.sendState(lock) } }
        let behavior = behavior(lock)
        guard words.count == 3, let operation = LockOperation(rawValue: String(words[0])), behavior != .offline else { return }
        let target: LockState = operation == .lock ? .locked : operation == .unlock ? .unlocked : .unlatched
        state.withLock { $0.locks[lock, default: Lock()].receivedCommands.append(operation) }
        let answer = "\(lock) \(words[2])"
        switch behavior {
        case .prompt: schedule(Self.travelTime) { $0.complete(lock, at: target, answer) }
        case .late: schedule(Self.lateTravelTime) { $0.complete(lock, at: target, answer) }
        case .silent: state.withLock { $0.locks[lock]?.bolt = target }
        case .jamming: schedule(Self.travelTime) { $0.send("OK \(answer) JAMMED", unlessOffline: lock) }
        case .refusing: schedule(Self.travelTime) { $0.send("ERR \(answer) BUSY", unlessOffline: lock) }
        case .offline: break
        }
    }

    private func sendState(_ lock: Int) {
        send(behavior(lock) == .offline ? "AWAY \(lock)" : "STATE \(lock) \(bolt(lock).rawValue)")
    }

    private func complete(_ lock: Int, at target: LockState, _ answer: String) {
        state.withLock { $0.locks[lock]?.bolt = target }
        send("OK \(answer) \(target.rawValue)", unlessOffline: lock)
    }

    private func schedule(_ delay: Duration, _ body: @escaping @Sendable (SimulatedController) -> Void) {
        let due = clock.monotonicNow().advanced(by: delay)
        Task(executorPreference: executor) {
            try await self.clock.sleep(until: due)
            body(self)
        }
    }
}
