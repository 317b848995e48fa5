package import DoorwardControl
internal import DoorwardDomain

/// The result of checking a database file.
package struct StoreCheckReport: Equatable, Sendable {
    /// The file's resolved path: absolute and without symbolic links.
    package let path: String
    /// The size of the file in bytes, without a write-ahead log beside it.
    package let bytes: Int64
    /// The number of the file's schema.
    package let schema: Int
    /// The amount of data that was checked: the data before the first fault, or the whole file.
    package var counts: StoreCheckCounts
    /// The first fault; `nil` if there is none. Logs are checked in the order of their creation,
    /// each from its first record on. The data that belongs to no log is checked last.
    package var fault: StoreFault?

    /// Whether no fault was found.
    package var isWhole: Bool { fault == nil }
}

/// The amount of data that a check has covered.
package struct StoreCheckCounts: Equatable, Sendable {
    /// The logs without a fault, sorted by id.
    package internal(set) var logs: [LogSize] = []
    /// Records whose bytes, leaf hash, columns and personal values were compared.
    package internal(set) var records: UInt64 = 0
    /// Commands that have an intent.
    package internal(set) var commands: UInt64 = 0
    /// Commands without an outcome. A gateway that opens the file ends them as `UNKNOWN`.
    package internal(set) var openCommands: UInt64 = 0
    /// Personal values that were decrypted and match the commitment in their record.
    package internal(set) var personalValues: UInt64 = 0
    /// Personal values whose key was erased, so that they cannot be verified.
    package internal(set) var erasedValues: UInt64 = 0
    /// Personal values that were not verified, because there is no person-key file.
    package internal(set) var unverifiedValues: UInt64 = 0
}

/// The progress of a check, reported at the beginning, at intervals, and at the end of each stage.
package struct StoreCheckProgress: Equatable, Sendable {
    /// The stages, in order.
    package enum Stage: String, CaseIterable, Sendable {
        /// Every record of every log; `done` and `total` count records.
        case records
        /// Tenancy rows, references, and SQLite's own check of its pages and indexes. Only the
        /// beginning and the end of this stage are reported: `done` is 0, then 1, and `total` is 1.
        case structure
    }

    /// The current stage; `records` comes before `structure`.
    package let stage: Stage
    /// The completed amount of the stage. It never decreases within a stage.
    package let done: UInt64
    /// The size of the stage, which is known when the stage begins. For `records`, the size is 0 if the database has no records.
    package let total: UInt64
}
