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

    /// What was last heard on each topic that tells a state, by its place in the profile.
    var states: [Int: HeardState] = [:]
    /// What each topic of the availability has told.
    var reach: [Int: Availability] = [:]
    /// What is wrong by each part of the profile.
    var partFaults: [Int: Set<LockFault>] = [:]
    /// The parts whose last word stood for an event: it is told once, when it comes up.
    var raised: Set<Int> = []
    /// The parts that have told of anything.
    var heardParts: Set<Int> = []
    /// Nothing was known when this began: the first that a bridge repeats may be old.
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
        /// The lock was already there, or what was known of it was stale: only an answer to a question asked after the command
        /// confirms.
        package var needsAnswer: Bool
        /// The lock was there, by its live word, when the command was sent.
        package var wasThere = false
        /// The question that was asked after the command has come by on the broker: what follows may be its answer.
        var isAsked = false

        package init(_ operation: LockOperation, reference: String? = nil, needsAnswer: Bool = false) {
            (self.operation, self.reference, self.needsAnswer) = (operation, reference, needsAnswer)
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
    }
}
