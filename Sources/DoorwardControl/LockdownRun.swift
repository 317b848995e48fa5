package import DoorwardDomain
import Synchronization

/// The LOCK of one device in a lockdown.
package struct LockdownResult: Sendable {
    /// The outcome of the LOCK.
    package enum Outcome: Sendable {
        /// Nothing was decided yet: the other locks come first, or the gateway could not accept the command.
        case pending
        /// The command, in its latest known state.
        case command(Command)
        /// The command was denied at this instant, so there is none.
        case denied(Denial, at: Timestamp)
    }

    /// The device.
    package let deviceID: DeviceID
    /// The outcome of the LOCK.
    package let outcome: Outcome
}

/// The results of a lockdown in progress. They are read when all LOCKs have ended or the time for the response is over.
final class LockdownRun: Sendable {
    private let outcomes: Mutex<[DeviceID: LockdownResult.Outcome]>
    /// Fulfilled when the response is due.
    let isDue = Promise<Void>()

    init() { outcomes = Mutex([:]) }

    func set(_ outcome: LockdownResult.Outcome, for device: DeviceID) { outcomes.withLock { $0[device] = outcome } }

    /// The results so far, by device.
    ///
    /// - Parameter current: returns the state of a command in flight.
    func results(current: (CommandID) -> Command?) -> [LockdownResult] {
        outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { device, outcome in
            guard case .command(let command) = outcome, !command.state.isEnd, let now = current(command.id)
            else { return LockdownResult(deviceID: device, outcome: outcome) }
            return LockdownResult(deviceID: device, outcome: .command(now))
        }
    }
}
