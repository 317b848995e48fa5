import DoorwardDomain

/// Verifies a log from the first retained record. Each record must decode, belong to this log, have the next `seq`, have an
/// `at` that is not earlier than the previous record's, and match its stored leaf hash. At the end, the stored frontier must
/// match exactly these records.
///
/// A successful check shows that the records and the frontier are consistent. Only a checkpoint
/// that a third party keeps can prove that the records are those that were originally written.
package struct LogCheck: Sendable {
    /// The log that the records must belong to.
    package let log: LogID
    private var lastAt: Timestamp?
    /// The frontier of the tree over the removed records and the records added so far. For the
    /// added records, it is computed from their bytes, never from stored hashes.
    package private(set) var frontier: MerkleFrontier

    /// - Parameters:
    ///   - log: the expected log. Take it from the caller's request, never from the log itself.
    ///   - removed: the frontier of the tree over the records before the first retained one.
    package init(log: LogID, after removed: MerkleFrontier = MerkleFrontier()) { (self.log, frontier) = (log, removed) }

    /// Verifies the next record and appends it to the tree.
    ///
    /// - Parameter leafHash: the stored leaf hash of the record; `nil` if the store keeps none.
    /// - Returns: the decoded record, with every personal value withheld.
    @discardableResult
    package mutating func add(_ bytes: [UInt8], leafHash: [UInt8]? = nil) throws(LogFault) -> DecodedRecord {
        let decoded = try decoded(bytes)
        let record = decoded.record
        let body = record.body
        guard body.log == log else { throw fault(.otherLog(body.log)) }
        guard record.seq == frontier.size else { throw fault(.wrongSeq(record.seq)) }
        if let lastAt, body.at < lastAt { throw fault(.earlierThanTheOneBefore) }
        let computed = MerkleTree.leafHash(bytes)
        if let leafHash, leafHash != computed { throw fault(.wrongLeafHash) }
        frontier.append(leafHash: computed)
        lastAt = body.at
        return decoded
    }

    /// Compares the stored frontier with the records. Call it after the last record.
    package func finish(storedFrontier: [UInt8]) throws(LogFault) {
        guard let stored = MerkleFrontier(bytes: storedFrontier) else { throw fault(.malformedFrontier) }
        guard stored.size == frontier.size else { throw fault(.wrongSize(stored.size)) }
        guard stored == frontier else { throw fault(.wrongFrontier) }
    }

    private func decoded(_ bytes: [UInt8]) throws(LogFault) -> DecodedRecord {
        do {
            return try RecordEncoding.decode(bytes)
        } catch {
            throw fault(.notARecord(error as? RecordDecodingError ?? .notARecord))
        }
    }

    private func fault(_ problem: LogFault.Problem) -> LogFault { LogFault(position: frontier.size, problem: problem) }
}

/// The first fault found in a log.
package struct LogFault: Error, Equatable, Sendable {
    /// The `seq` that the faulty record should have; for a fault of the frontier, the number of records found.
    package let position: UInt64
    /// The kind of the fault.
    package let problem: Problem

    package init(position: UInt64, problem: Problem) { (self.position, self.problem) = (position, problem) }

    /// The kinds of faults of a log.
    package enum Problem: Equatable, Sendable {
        /// The bytes are not a record of a version that this program reads.
        case notARecord(RecordDecodingError)
        /// The record names this other log.
        case otherLog(LogID)
        /// The record has this `seq`: a record is missing, duplicated or out of place.
        case wrongSeq(UInt64)
        /// The record's `at` is earlier than the `at` of the preceding record.
        case earlierThanTheOneBefore
        /// The stored leaf hash differs from the hash of the record's bytes.
        case wrongLeafHash
        /// The stored frontier is malformed: its length does not match its size.
        case malformedFrontier
        /// The stored frontier has this other number of records.
        case wrongSize(UInt64)
        /// The stored frontier has the right number of records, but different hashes.
        case wrongFrontier
    }
}
