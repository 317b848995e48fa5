package import DoorwardDomain

/// The size of a log, and the checkpoint of it that was signed last.
package struct LogHead: Hashable, Sendable {
    /// The log: a portfolio's, or the gateway's.
    package let log: LogID
    /// The number of records; 0 for a log that has a mark and no record.
    package let size: UInt64
    /// What the store knows of the log's checkpoints; `nil` if none was signed yet.
    package let mark: CheckpointMark?

    package init(log: LogID, size: UInt64, mark: CheckpointMark?) { (self.log, self.size, self.mark) = (log, size, mark) }
}

/// What the store knows of a log's checkpoints, which are kept in a file outside it. The file is never behind the mark, unless
/// it was replaced by an older one.
package struct CheckpointMark: Hashable, Sendable {
    /// The log.
    package let log: LogID
    /// The generation of the log's origin, from 1; see `LogOrigin`.
    package let generation: Int
    /// The number of records under the newest checkpoint; 0 if none was signed in this generation.
    package let size: UInt64
    /// When that checkpoint was signed; `nil` if none was signed in this generation.
    package let signedAt: Timestamp?

    package init(log: LogID, generation: Int, size: UInt64, signedAt: Timestamp?) {
        (self.log, self.generation, self.size, self.signedAt) = (log, generation, size, signedAt)
    }
}
