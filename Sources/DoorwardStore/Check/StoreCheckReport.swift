package import DoorwardControl
internal import DoorwardDomain

/// What a check of a database file has found.
package struct StoreCheckReport: Equatable, Sendable {
    /// The file's one name: absolute, and without links in it.
    package let path: String
    /// The size of the file, without a write-ahead log that may lie beside it.
    package let bytes: Int64
    /// The number of the schema that the file is in.
    package let schema: Int
    /// What was counted before the first fault, or everything.
    package var counts: StoreCheckCounts
    /// The first thing that is wrong: logs come in the order in which they were begun, each from its first record on, then
    /// what belongs to no log. `nil` when everything is as it should be.
    package var fault: StoreFault?

    /// Whether everything is as it should be.
    package var isWhole: Bool { fault == nil }
}

/// How much a check has gone through.
package struct StoreCheckCounts: Equatable, Sendable {
    /// The logs that were found whole, by id.
    package internal(set) var logs: [LogSize] = []
    /// Records whose bytes, leaf, columns and personal values were compared.
    package internal(set) var records: UInt64 = 0
    /// Commands that have an intent.
    package internal(set) var commands: UInt64 = 0
    /// Of these, the ones without an outcome: a gateway that starts on the file answers them with `UNKNOWN`.
    package internal(set) var openCommands: UInt64 = 0
    /// Personal values that were opened, and found to be what their record commits to.
    package internal(set) var personalValues: UInt64 = 0
    /// Personal values whose key is gone, so that nobody can say anything of them.
    package internal(set) var erasedValues: UInt64 = 0
}

/// How far a check is. A check tells at its beginning, now and then, and at the end of each stage.
package struct StoreCheckProgress: Equatable, Sendable {
    /// The stages in their order.
    package enum Stage: String, CaseIterable, Sendable {
        /// Every record of every log; `done` and `total` count records.
        case records
        /// Commands, references and SQLite's own check of its pages and indexes, which tells nothing on the way: `done` is 0,
        /// then 1, of 1.
        case structure
    }

    /// What the numbers count; `records` comes before `structure`.
    package let stage: Stage
    /// Never goes back within a stage.
    package let done: UInt64
    /// Known when the stage begins; 0 for the records of a database that has none.
    package let total: UInt64
}
