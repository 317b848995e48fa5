internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// One attached lock: its channel to the gateway, and the state of its protocol.
final class SerialLock: Sendable {
    /// `nil` if the device's address is invalid; such a lock rejects commands.
    let address: SerialAddress?
    let channel: LockChannel
    private let state = Mutex(State())

    private struct State {
        /// Whether the controller has lost the connection to the lock; `nil` while that is not known.
        var isAway: Bool?
        /// The last command and its sequence number. A response with another number belongs to an earlier command.
        var last: (sequence: UInt32, command: CommandID)?
    }

    init(_ lock: AttachedLock, clock: any GatewayClock, executor: (any TaskExecutor)?) {
        address = try? SerialAddress(lock.address)
        channel = LockChannel(lock.id, clock: clock, executor: executor)
    }

    // MARK: - Commands

    /// - Parameter write: writes a line to the controller.
    func send(
        _ command: LockCommand, sequence: UInt32, write: (String) throws(AdapterError) -> Void
    ) throws(AdapterError) {
        guard let word = Self.words[command.operation] else { throw .unsupported }
        guard let address else { throw .offline }
        if let needed = command.operation.requiredCapability, !address.capabilities.contains(needed) { throw .unsupported }
        if state.withLock({ $0.isAway }) == true { throw .offline }
        try channel.send(command) { () throws(AdapterError) in
            // Set this before the write: the response may arrive before the write returns.
            let before = state.withLock { state in
                defer { state.last = (sequence, command.commandID) }
                return state.last
            }
            do throws(AdapterError) {
                try write("\(word) \(address.number) \(sequence)")
            } catch {
                state.withLock { $0.last = before }
                throw error
            }
        }
    }

    private static let words: [LockOperation: String] = [.lock: "LOCK", .unlock: "UNLOCK", .unlatch: "UNLATCH"]

    // MARK: - Lines of the controller

    func receive(_ line: SerialLine) {
        switch line {
        case .ok(_, let sequence, let state): answer(sequence, [Self.fact(state, .remote)])
        case .error(_, let sequence, let cause): answer(sequence, [.refusal(cause)])
        case .state(_, let state): channel.report(noteReach(isAway: false) + [Self.fact(state, nil)])
        case .turned(_, let state): channel.report(noteReach(isAway: false) + [Self.fact(state, .manual)])
        case .reach(_, let isAway): channel.report(noteReach(isAway: isAway))
        case .battery(_, let percent): channel.report([.battery(level: percent, low: nil)])
        case .tamper(_, let isOn): channel.report([.faults(isOn ? ["tamper"] : [])])
        }
    }

    /// Reports that the lock's availability is unknown, because the connection to the controller is lost.
    func loseConnection() {
        state.withLock { $0.isAway = nil }
        channel.report([.availability(nil)])
    }

    private func answer(_ sequence: UInt32, _ facts: [LockReport.Fact]) {
        guard let last = state.withLock({ $0.last }), last.sequence == sequence else { return }
        channel.answer(last.command, facts)
    }

    /// - Returns: the fact to report; empty if the availability has not changed.
    private func noteReach(isAway: Bool) -> [LockReport.Fact] {
        let isFresh = state.withLock { state in
            defer { state.isAway = isAway }
            return state.isAway != isAway
        }
        return isFresh ? [.availability(!isAway)] : []
    }

    private static func fact(_ state: LockState, _ method: EventMethod?) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: method, operatorName: nil)
    }
}
