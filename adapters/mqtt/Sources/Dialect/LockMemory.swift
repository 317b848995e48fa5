package import DoorwardDomain

/// What has been heard of one lock so far, as far as the next message is read in its light.
package struct LockMemory: Hashable, Sendable {
    package var position = Position.unknown
    package var quality = StateQuality.stale
    package var availability = Availability.unknown
    package var faults: Set<LockFault> = []
    /// The command that was sent and has no end yet.
    package var underWay: UnderWay?

    package init() {}

    /// A command between its frame and its end.
    package struct UnderWay: Hashable, Sendable {
        package var operation: LockOperation
        /// What the frame bore, where the dialect lets an answer be told from others; `nil` takes any answer as its own.
        package var reference: String?
        /// The lock was already there, or what was known of it was stale: only an answer to a question asked after the command
        /// confirms.
        package var needsAnswer: Bool

        package init(_ operation: LockOperation, reference: String? = nil, needsAnswer: Bool = false) {
            (self.operation, self.reference, self.needsAnswer) = (operation, reference, needsAnswer)
        }
    }
}
