import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import Synchronization

/// What happened in a campaign, over all its lives, as an onlooker outside the gateway sees it.
final class CampaignTrace: Sendable {
    /// An order that left, with what was true at that very moment.
    struct Order: Sendable {
        let life: Int
        let order: LockCommand
        let at: MonotonicInstant
        let wallAt: Timestamp
        /// What a decision on the directory in force says.
        let decision: Decision
        /// What the logs hold of the command.
        let records: [RecordBody]
    }

    /// A request for a command, and what its caller was told.
    struct Request: Sendable {
        let life: Int
        let wanted: CampaignOrder
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

    /// A right whose taking away was answered.
    struct Revoked: Sendable {
        enum Right: Hashable, Sendable {
            case access(GuestAccessID)
            case association(AssociationID)
            case user(UserID)
        }

        let right: Right
        /// How many orders had left by then.
        let ordersBefore: Int
        /// How many had left when somebody began to give it back.
        var ordersUntil: Int?
    }

    struct Content: Sendable {
        var life = 0
        var orders: [Order] = []
        var requests: [Request] = []
        var revoked: [Revoked] = []
        /// Whom somebody has begun to enable, now or before.
        var enabled: Set<UserID> = []
        /// The lives whose store failed once or more.
        var livesWithFailures: Set<Int> = []
        var oddities: [String] = []
        var counts: [String: Int] = [:]

        /// Whether a right may be back although its taking away was answered last: both may have been under way at once.
        func mayComeBack(_ right: Revoked.Right) -> Bool {
            if case .user(let user) = right { enabled.contains(user) } else { false }
        }
    }

    private let state = Mutex(Content())

    var content: Content { state.withLock { $0 } }

    /// Notes something, unless the life that it belongs to is over: what a crashed process still does was never seen.
    func note(in life: Int, _ body: (inout Content) -> Void) {
        state.withLock { content in
            if content.life == life { body(&content) }
        }
    }

    /// Begins the next life.
    ///
    /// - Returns: its number.
    func beginLife() -> Int {
        state.withLock { content in
            content.life += 1
            return content.life
        }
    }
}
