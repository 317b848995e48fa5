package import DoorwardAudit
package import DoorwardDomain
import GRDB

/// The first thing that is wrong in a database file.
package struct StoreFault: Error, Equatable, Sendable {
    /// The log that it was found in; `nil` for what belongs to no log.
    package let log: LogID?
    /// The record it was found at, or would be, were it there; `nil` for what belongs to no record.
    package let seq: UInt64?
    /// What disagrees with what. The check ends with it: what lies behind is not looked at.
    package let problem: Problem

    init(log: LogID? = nil, seq: UInt64? = nil, _ problem: Problem) {
        (self.log, self.seq, self.problem) = (log, seq, problem)
    }

    /// What an error says about the file that is read; `nil` when it says something about the machine.
    ///
    /// - Parameter seq: the record that was looked at.
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

    /// Results of SQLite that come of what is in the file. A schema whose text is damaged is an error like any other.
    private static let damage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_TOOBIG]

    /// What a check can find. A name or a number in a case tells which part of the file it is; none holds a person's data.
    package enum Problem: Equatable, Sendable {
        /// The tables and indexes are not those of the schema that the file says it is in; the name of the first that
        /// differs.
        case schema(String)
        /// The row cannot be read; a column, or what SQLite says.
        case unreadable(String)
        /// The chain of records itself: bytes, `seq`, `at`, leaf or frontier.
        case log(LogFault.Problem)
        /// There are records after the end that the log's row tells.
        case beyondEnd
        /// The log's row tells another last instant than its last record.
        case lastInstant
        /// A column beside the record says something else than the record; its name.
        case column(String)
        /// A personal value is not what the record commits to, or is missing though its key is there; the field's name.
        case personalValue(String)
        /// An outcome whose command has no open intent before it in the log: it is a second one, or the intent is missing.
        case outcomeWithoutIntent(CommandID)
        /// The command's row does not agree with its intent or its outcome.
        case command(CommandID)
        /// Rows of commands that no record speaks of, or records of commands that have no row.
        case commandCount
        /// A count of commands that is kept is not how many there are.
        case keptCount
        /// A table that lists are found by does not follow from the records; its name.
        case projection(String)
        /// The tiles of a log's tree do not follow from its records.
        case tiles
        /// Records that lie in no log; how many.
        case recordsOutsideLogs(Int)
        /// A row refers to another one that is not there; the table of the first.
        case reference(String)
        /// SQLite's own check of pages and indexes; its first words.
        case structure(String)
    }
}

extension StoreFault.Problem {
    /// A word for programs, which stays as it is.
    package var code: String {
        switch self {
        case .schema: "schema"
        case .unreadable: "unreadable"
        case .log(let problem): problem.code
        case .beyondEnd: "beyond_end"
        case .lastInstant: "last_instant"
        case .column: "column"
        case .personalValue: "personal_value"
        case .outcomeWithoutIntent: "outcome_without_intent"
        case .command: "command"
        case .commandCount: "command_count"
        case .keptCount: "kept_count"
        case .projection: "projection"
        case .tiles: "tiles"
        case .recordsOutsideLogs: "records_outside_logs"
        case .reference: "reference"
        case .structure: "structure"
        }
    }
}

extension LogFault.Problem {
    fileprivate var code: String {
        switch self {
        case .notARecord: "not_a_record"
        case .otherLog: "other_log"
        case .wrongSeq: "wrong_seq"
        case .earlierThanTheOneBefore: "earlier_than_before"
        case .wrongLeafHash: "wrong_leaf_hash"
        case .malformedFrontier: "malformed_frontier"
        case .wrongSize: "wrong_size"
        case .wrongFrontier: "wrong_frontier"
        }
    }
}

extension StoreFault: CustomStringConvertible {
    /// Where and what, in one sentence without a person's data in it.
    package var description: String {
        let place: String? =
            switch (log, seq) {
            case (let log?, let seq?): "log \(log), record \(seq)"
            case (let log?, nil): "log \(log)"
            case (nil, _): nil
            }
        return (place.map { "\($0): " } ?? "") + problem.sentence
    }
}

extension StoreFault.Problem {
    fileprivate var sentence: String {
        switch self {
        case .schema(let name): "\(name) is not as this schema has it."
        case .unreadable(let what): "it cannot be read (\(what))."
        case .log(let problem): problem.sentence
        case .beyondEnd: "it lies after the log's end."
        case .lastInstant: "the log's last instant is not that of its last record."
        case .column(let name): "the column \(name) beside the record says something else than the record."
        case .personalValue(let field): "the value of \(field) is not the one that the record commits to."
        case .outcomeWithoutIntent(let id): "it ends the command \(id), of which no open intent stands before it."
        case .command(let id): "the command \(id) is not as its records have it."
        case .commandCount: "there are commands without an intent, or intents without their command."
        case .keptCount: "a kept count of commands is not the number of commands."
        case .projection(let table): "the table \(table), by which lists find records, does not match the records."
        case .tiles: "the tiles of its tree do not follow from its records."
        case .recordsOutsideLogs(let count): "\(count) records lie in no log."
        case .reference(let table): "a row of \(table) refers to one that is not there."
        case .structure(let words): "SQLite finds its file damaged: \(words)."
        }
    }
}

extension LogFault.Problem {
    fileprivate var sentence: String {
        switch self {
        case .notARecord: "its bytes are not a record."
        case .otherLog(let log): "its bytes are a record of the log \(log)."
        case .wrongSeq(let seq): "record \(seq) stands in its place."
        case .earlierThanTheOneBefore: "it is dated before the record before it."
        case .wrongLeafHash: "its leaf hash is not that of its bytes."
        case .malformedFrontier: "the end of the log cannot be read."
        case .wrongSize(let size): "the log should have \(size) records."
        case .wrongFrontier: "the log's frontier does not follow from its records."
        }
    }
}
