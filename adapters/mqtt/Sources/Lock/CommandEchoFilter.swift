internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Filters the event by which a lock reports the gateway's own command as a remote operation.
struct CommandEchoFilter {
    /// How long after the command's deadline the event is filtered: bridges send it some time after the lock has reported its
    /// state.
    static let delay = Duration.seconds(5)

    private let event: RecordEvent?
    private let until: MonotonicInstant

    init(_ operation: LockOperation, until: MonotonicInstant) {
        switch operation {
        case .lock: event = .locked
        case .unlock: event = .unlocked
        case .unlatch: event = .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: event = nil
        }
        self.until = until
    }

    /// Whether a fact is such an event. A state is never filtered, because it may confirm the command.
    func isEcho(_ fact: LockReport.Fact, at now: MonotonicInstant) -> Bool {
        guard now <= until, case .event(event, method: .remote, _) = fact, event != nil else { return false }
        return true
    }
}
