package import DoorwardAudit
package import DoorwardDomain
import GRDB

/// The first fault in a database file.
package struct StoreFault: Error, Equatable, Sendable {
    /// The log with the fault; `nil` for data that belongs to no log.
    package let log: LogID?
    /// The `seq` of the faulty or missing record; `nil` for data that belongs to no record.
    package let seq: UInt64?
    /// The kind of fault. The check stops at the first one.
    package let problem: Problem

    init(log: LogID? = nil, seq: UInt64? = nil, _ problem: Problem) {
        (self.log, self.seq, self.problem) = (log, seq, problem)
    }

    /// Creates a fault from an error that the file's content caused. Returns `nil` for other errors, such as those of the
    /// operating system.
    ///
    /// - Parameter seq: the record that was being checked.
    init?(_ error: any Error, log: LogID? = nil, seq: UInt64? = nil) {
        switch error {
        case let fault as StoreFault: self = fault
        case let fault as LogFault:
            let isOfRecord = ![.malformedFrontier, .wrongFrontier].contains(fault.problem)
            self.init(log: log, seq: isOfRecord ? fault.position : nil, .log(fault.problem))
        case let error as UnreadableColumn: self.init(log: log, seq: seq, .unreadable(error.column))
        case let error as DatabaseError where Self.damage.contains(error.resultCode):
            self.init(log: log, seq: seq, .unreadable(describe(error)))
        default: return nil
        }
    }

    /// The SQLite result codes that the file's content can cause. A damaged schema text causes a plain `SQLITE_ERROR`.
    private static let damage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_TOOBIG]

    /// The kinds of fault. A name or a number in a case locates the fault; none contains personal data.
    package enum Problem: Equatable, Sendable {
        /// The tables and indexes differ from those of the file's schema. The value is the name of
        /// the first table or index that differs.
        case schema(String)
        /// A row cannot be read. The value is the column, or SQLite's message.
        case unreadable(String)
        /// The record chain is broken: bytes, `seq`, `at`, leaf hash or frontier.
        case log(LogFault.Problem)
        /// A record is stored after the end of its log. The log's row contains this end.
        case beyondEnd
        /// The last instant in the log's row is not the instant of the log's last record.
        case lastInstant
        /// A column that repeats a value of the record differs from the record. The value is the column's name.
        case column(String)
        /// A personal value does not match the record's commitment, or is missing although its key exists. The value is the
        /// field's name.
        case personalValue(String)
        /// The log contains no open intent before an outcome: the outcome is a second one, or the intent is missing.
        case outcomeWithoutIntent(CommandID)
        /// The command's row does not agree with its intent or its outcome.
        case command(CommandID)
        /// A row of `commands` has no record, or a command in the records has no row.
        case commandCount
        /// A stored count of commands is wrong.
        case keptCount
        /// A projected table does not match the records. The value is the table's name.
        case projection(String)
        /// The tiles of a log's Merkle tree do not match its records.
        case tiles
        /// Some records belong to no log. The value is their number.
        case recordsOutsideLogs(Int)
        /// A row references a missing row. The value is the table of the referencing row.
        case reference(String)
        /// SQLite's own check of pages and indexes failed. The value is the last line of its message.
        case structure(String)
    }
}

extension StoreFault.Problem {
    /// A stable code for programs.
    package var code: String { words.code }

    /// The code, and a sentence without personal data.
    fileprivate var words: (code: String, sentence: String) {
        switch self {
        case .schema(let name): ("schema", "\(name) differs from the definition in the file's schema.")
        case .unreadable(let what): ("unreadable", "it cannot be read (\(what)).")
        case .log(let problem): problem.words
        case .beyondEnd: ("beyond_end", "it is stored after the end of the log.")
        case .lastInstant: ("last_instant", "the last instant stored for the log is not that of its last record.")
        case .column(let name): ("column", "the column \(name) differs from the record.")
        case .personalValue(let field): ("personal_value", "the value of \(field) does not match the commitment in the record.")
        case .outcomeWithoutIntent(let id):
            ("outcome_without_intent", "it is the outcome of the command \(id), but no open intent of the command precedes it.")
        case .command(let id): ("command", "the stored command \(id) does not match its records.")
        case .commandCount: ("command_count", "a command has no intent record, or an intent record has no command.")
        case .keptCount: ("kept_count", "a stored count of commands differs from the number of commands.")
        case .projection(let table): ("projection", "the table \(table), an index of the records, does not match the records.")
        case .tiles: ("tiles", "the stored tiles of its Merkle tree do not match its records.")
        case .recordsOutsideLogs(let count): ("records_outside_logs", "\(count) records belong to no log.")
        case .reference(let table): ("reference", "a row of \(table) references a row that does not exist.")
        case .structure(let words): ("structure", "SQLite's integrity check failed: \(words).")
        }
    }
}

extension LogFault.Problem {
    fileprivate var words: (code: String, sentence: String) {
        switch self {
        case .notARecord: ("not_a_record", "its bytes are not a record.")
        case .otherLog(let log): ("other_log", "its bytes are a record of the log \(log).")
        case .wrongSeq(let seq): ("wrong_seq", "record \(seq) is stored at its position.")
        case .earlierThanTheOneBefore: ("earlier_than_before", "its time is earlier than that of the preceding record.")
        case .wrongLeafHash: ("wrong_leaf_hash", "its stored leaf hash does not match its bytes.")
        case .malformedFrontier: ("malformed_frontier", "the stored Merkle frontier of the log is malformed.")
        case .wrongSize(let size): ("wrong_size", "the log should have \(size) records.")
        case .wrongFrontier: ("wrong_frontier", "the stored Merkle frontier of the log does not match its records.")
        }
    }
}

extension StoreFault: CustomStringConvertible {
    /// The location and the fault in one sentence, without personal data.
    package var description: String {
        let place: String? =
            switch (log, seq) {
            case (let log?, let seq?): "log \(log), record \(seq)"
            case (let log?, nil): "log \(log)"
            case (nil, _): nil
            }
        return (place.map { "\($0): " } ?? "") + problem.words.sentence
    }
}
