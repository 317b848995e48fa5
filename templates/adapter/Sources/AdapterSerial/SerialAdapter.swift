public import DoorwardAdapterKit
public import DoorwardDomain
import Synchronization

/// Adapter for locks on a bus behind one controller, which sends and receives lines of text over a byte stream.
public final class SerialAdapter: Sendable {
    /// The adapter's name in the `adapter` field of a device.
    public let kind = "serial"
    private let stream: any ByteStream
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    fileprivate struct State {
        var locks: [DeviceID: SerialLock] = [:]
        /// The lock at each number. If several locks have the same number, it is the lock that was attached last.
        var byNumber: [Int: SerialLock] = [:]
        /// The receiver of the locks' reports; `nil` before `start` and after `stop`.
        var receiver: (any ReportReceiver)?
        var isConnected = false
        /// The number of starts. It distinguishes events of the present connection from events of connections of earlier starts.
        var starts = 0
        var reader = LineReader()
        var sequence: UInt32 = 0
        var malformedLines = 0
    }

    /// - Parameters:
    ///   - stream: the connection to the controller, not open yet.
    ///   - clock: the clock for deadlines.
    ///   - executor: runs the waits for deadlines; `nil` for the global executor.
    public init(stream: any ByteStream, clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.stream, self.clock, self.executor) = (stream, clock, executor)
    }

    // MARK: - The connection

    private func happened(_ event: ByteStreamEvent, start: Int) {
        guard state.withLock({ $0.starts == start && $0.receiver != nil }) else { return }
        switch event {
        case .connected:
            let locks = state.withLock { state in
                (state.isConnected, state.reader) = (true, LineReader())
                return state.sortedLocks
            }
            for lock in locks { query(lock) }
        case .disconnected:
            let locks = state.withLock { state in
                state.isConnected = false
                return state.sortedLocks
            }
            for lock in locks where lock.address != nil { lock.loseConnection() }
        case .received(let bytes):
            for text in state.withLock({ $0.reader.take(bytes) }) { receive(text) }
        }
    }

    private func receive(_ text: String?) {
        guard let line = text.flatMap({ SerialLine($0) }) else { return state.withLock { $0.malformedLines += 1 } }
        state.withLock { $0.byNumber[line.lock] }?.receive(line)
    }

    private func write(_ line: String) throws(AdapterError) {
        do {
            try stream.write(Array((line + "\n").utf8))
        } catch {
            throw error == .full ? .transportBusy : .offline
        }
    }

    /// Queries the lock's state, if that is possible at the moment. All locks are queried when the connection is established.
    private func query(_ lock: SerialLock) {
        if let number = lock.address?.number { try? write("STATE \(number)") }
    }
}

extension SerialAdapter: LockAdapter {
    public var addressFields: [AddressField] { SerialAddress.fields }

    public var health: AdapterHealth {
        state.withLock { state in state.receiver == nil ? .down : state.isConnected ? .ok : .degraded }
    }

    public var counts: [String: Int] { state.withLock { ["lines_malformed": $0.malformedLines] } }

    public func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressErrors) -> CheckedAddress {
        let address = try SerialAddress(address)
        return CheckedAddress(address.capabilities, attachedDevice: state.withLock { $0.byNumber[address.number]?.channel.id })
    }

    public func start(reports: any ReportReceiver) async throws {
        let start = state.withLock { state in
            state.receiver = reports
            state.starts += 1
            for lock in state.locks.values { lock.channel.open(to: reports) }
            return state.starts
        }
        stream.open { [weak self] event in self?.happened(event, start: start) }
    }

    public func stop() async {
        stream.close()
        let locks = state.withLock { state in
            (state.receiver, state.isConnected) = (nil, false)
            return state.sortedLocks
        }
        for lock in locks { lock.channel.close() }
    }

    public func attach(_ attached: AttachedLock) {
        let lock = SerialLock(attached, clock: clock, executor: executor)
        let (old, isConnected) = state.withLock { state in
            let old = state.remove(attached.id)
            state.locks[attached.id] = lock
            if let number = lock.address?.number { state.byNumber[number] = lock }
            if let receiver = state.receiver { lock.channel.open(to: receiver) }
            return (old, state.isConnected)
        }
        old?.channel.close()
        if isConnected { query(lock) }
    }

    public func detach(_ id: DeviceID) {
        state.withLock { $0.remove(id) }?.channel.close()
    }

    public func send(_ command: LockCommand) throws(AdapterError) {
        let (lock, isConnected, sequence) = state.withLock { state in
            state.sequence &+= 1
            return (state.locks[command.deviceID], state.isConnected, state.sequence)
        }
        guard let lock else { throw .notAttached }
        try lock.send(command, sequence: sequence) { (line) throws(AdapterError) in
            guard isConnected else { throw .offline }
            try write(line)
        }
    }

    public func refresh(_ id: DeviceID) throws(AdapterError) {
        let (lock, isConnected) = state.withLock { ($0.locks[id], $0.isConnected) }
        guard let lock else { throw .notAttached }
        guard isConnected, let number = lock.address?.number else { throw .offline }
        try write("STATE \(number)")
    }
}

extension SerialAdapter.State {
    fileprivate var sortedLocks: [SerialLock] { locks.sorted { $0.key < $1.key }.map(\.value) }

    /// Removes a lock. If another lock is attached with the same number, that lock then receives the lines for it.
    fileprivate mutating func remove(_ id: DeviceID) -> SerialLock? {
        guard let lock = locks.removeValue(forKey: id) else { return nil }
        if let number = lock.address?.number, byNumber[number] === lock {
            byNumber[number] = sortedLocks.last { $0.address?.number == number }
        }
        return lock
    }
}
