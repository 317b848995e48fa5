import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import Synchronization

/// The events of a campaign over all its runs, as they are visible outside the gateway.
final class CampaignTrace: Sendable {
    /// A command that was sent to its adapter, with the state of the gateway at that moment.
    struct SentCommand: Sendable {
        let run: Int
        let command: LockCommand
        let at: MonotonicInstant
        let wallAt: Timestamp
        /// The decision by the directory at that moment.
        let decision: Decision
        /// The records of the command at that moment.
        let records: [RecordBody]
    }

    /// A request for a command, and the answer that its caller received.
    struct Request: Sendable {
        let run: Int
        let wanted: CampaignCommand
        let id: String
        let began: MonotonicInstant
        var accepted: Command?
        var answer: Answer?
    }

    enum Answer: Sendable {
        case ended(Command)
        case replayed(String)
        case denied(Denial)
        case refused(GatewayError)
    }

    /// A right whose revocation was answered.
    struct Revoked: Sendable {
        enum Right: Hashable, Sendable {
            case access(GuestAccessID)
            case association(AssociationID)
            case user(UserID)
        }

        let right: Right
        /// The number of commands sent before that answer.
        let commandsBefore: Int
        /// The number of commands sent before the first request to restore the right began; `nil` if there was no such request.
        var commandsUntil: Int?
    }

    struct Content: Sendable {
        var run = 0
        var commands: [SentCommand] = []
        var requests: [Request] = []
        var revoked: [Revoked] = []
        /// Users for whom a request to enable them has begun at least once.
        var enabled: Set<UserID> = []
        /// The runs in which the store failed at least once.
        var runsWithFailures: Set<Int> = []
        var violations: [String] = []
        var counts: [String: Int] = [:]

        /// Returns whether a right may exist although its revocation was answered last: a request to restore it may have run
        /// concurrently.
        func mayComeBack(_ right: Revoked.Right) -> Bool {
            if case .user(let user) = right { enabled.contains(user) } else { false }
        }
    }

    private let state = Mutex(Content())

    var content: Content { state.withLock { $0 } }

    /// Records an event, unless its run is over: later events of a crashed process were visible to no user.
    func note(in run: Int, _ body: (inout Content) -> Void) {
        state.withLock { content in
            if content.run == run { body(&content) }
        }
    }

    /// Begins the next run.
    ///
    /// - Returns: its number.
    func beginRun() -> Int {
        state.withLock { content in
            content.run += 1
            return content.run
        }
    }
}
