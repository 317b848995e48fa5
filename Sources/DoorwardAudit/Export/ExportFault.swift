/// The first fault of an export.
package struct ExportFault: Error, Equatable, Sendable {
    /// The line with the fault, from 1; the first line is the header.
    package let line: Int
    /// The number that the record in this line has or, in a complete export, should have; `nil` if the line is not one of a record.
    package let seq: UInt64?
    /// The kind of the fault.
    package let problem: Problem

    package init(line: Int, seq: UInt64? = nil, problem: Problem) { (self.line, self.seq, self.problem) = (line, seq, problem) }

    /// The kinds of faults of an export.
    package enum Problem: Error, Equatable, Sendable {
        /// The line does not have the form of its place in the file.
        case malformed
        /// The checkpoint in the header is rejected.
        case checkpoint(CheckpointFault)
        /// The key in the header is not one of the expected keys.
        case otherKey
        /// The header or the record belongs to another log.
        case otherLog
        /// The bytes are not a record of version 1.
        case notARecord
        /// The record has this `seq`: a record is missing, duplicated or out of place.
        case wrongSeq(UInt64)
        /// The leaf hash is not that of the bytes.
        case wrongLeafHash
        /// A personal value is not the one that the record commits to, or there are too many or too few of them.
        case wrongPersonalValue
        /// The decoded fields are not those of the bytes.
        case wrongFields
        /// The record's `at` is earlier than that of the record before.
        case earlierThanTheOneBefore
        /// The log of the checkpoint has another record with this number.
        case notIncluded
        /// The last line has this other number of records.
        case wrongCount(UInt64)
        /// There is a line after the last one.
        case afterTheEnd
        /// The file ends too early: records may be missing at the end.
        case incomplete
    }

    /// Whether records are missing only at the end, and those that are there are genuine.
    package var isIncomplete: Bool { problem == .incomplete }
}
