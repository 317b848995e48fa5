internal import DoorwardAdapterKit
internal import DoorwardDomain

/// What a lock tells of the gateway's own order as if somebody had come: that it was moved over the network.
struct OwnEcho {
    /// Bridges tell of a movement some time after the lock has said where it is.
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

    /// Whether a fact is nothing but that. A state is none: it may be what the order waits for.
    func isEcho(_ fact: LockReport.Fact, at now: MonotonicInstant) -> Bool {
        guard now <= until, case .event(event, method: .remote, _) = fact, event != nil else { return false }
        return true
    }
}
