package import DoorwardDomain

/// The removal of the oldest records of a log: their content, their personal values, the commands that began with them, and the
/// keys of days of which no record is left. The log keeps its size, and its tree with all nodes.
///
/// Refused as `.inconsistent` if the log has fewer records, or if one of them is the intent of an open command. Records that were
/// removed before are skipped.
package struct LogCut: Hashable, Sendable {
    /// The log.
    package let log: LogID
    /// The number of the first record that is kept.
    package let firstSeq: UInt64

    package init(log: LogID, firstSeq: UInt64) { (self.log, self.firstSeq) = (log, firstSeq) }
}
