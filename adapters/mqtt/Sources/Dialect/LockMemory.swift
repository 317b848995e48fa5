package import DoorwardDomain

/// What has been heard of one lock so far, as far as the next message is read in its light. It holds at most one value for each
/// part of a profile, whatever is said.
package struct LockMemory: Hashable, Sendable {
    /// Where the bolt was last said to be.
    package var position = Position.unknown
    /// How far `position` can be trusted; stale until anything was heard.
    package var quality = StateQuality.stale
    /// What all topics that tell of it come to.
    package var availability = Availability.unknown
    /// All that is wrong, whichever topic told of it.
    package var faults: Set<LockFault> = []
    /// The command that was sent and has no end yet.
    package var underWay: UnderWay?

    /// A command was sent, and the lock has not reported its outcome: the bolt may not be where it was last reported.
    var isUnanswered = false
    /// Why a word that fits the last order need not be the lock's word on it; it outlives the order, and ends with a word that can
    /// only be live.
    var doubt: Doubt?
    /// What was last heard on each topic that tells a state, by its place in the profile.
    var states: [Int: HeardState] = [:]
    /// What each topic of the availability has told.
    var reach: [Int: Availability] = [:]
    /// What is wrong by each part of the profile.
    var partFaults: [Int: Set<LockFault>] = [:]
    /// The parts whose last word stood for an event: it is told once, when it comes up.
    var raised: Set<Int> = []
    /// The parts for which it is known whether their event is active; the next change is news, however long ago that was.
    var heardParts: Set<Int> = []
    /// The last values of the events that are raised on change alone, by their part of the profile.
    var lastTold: [Int: [String: String]] = [:]
    /// Nothing was known at the start: the first values of a bridge that repeats everything may be old.
    var isFresh = false
    /// What was last heard beside the bolt.
    var surroundings = Surroundings()

    package init() {}

    /// A command between its frame and its end.
    package struct UnderWay: Hashable, Sendable {
        /// One of `LockOperation.movements`.
        package var operation: LockOperation
        /// What the frame bore, where the dialect lets an answer be told from others; `nil` takes any answer as its own.
        package var reference: String?
        /// When it was sent, by the gateway's clock; `nil` where nobody knows.
        var orderedAt: Timestamp?
        /// The lock was there, by its live word, when the command was sent.
        package var wasThere = false

        package init(_ operation: LockOperation, reference: String? = nil, at now: Timestamp? = nil, wasThere: Bool = false) {
            (self.operation, self.reference, orderedAt, self.wasThere) = (operation, reference, now, wasThere)
        }
    }

    struct HeardState: Hashable, Sendable {
        var position: Position
        var quality: StateQuality
        /// The device's own.
        var time: Int64?
    }

    struct Surroundings: Hashable, Sendable {
        var door: DoorPosition?
        var battery: Double?
        var isBatteryLow: Bool?
        /// A hash of everything else in a message that tells all that is known, as far as it does not change with every message;
        /// `nil` for nothing else.
        var rest: Int?
    }

    /// Messages may have been missed, or something may be told again as it was before: what is known becomes stale, and what
    /// comes next may be old.
    package mutating func loseTrack() {
        quality = .stale
        doubt?.forget()
    }
}
