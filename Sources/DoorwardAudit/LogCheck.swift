import DoorwardDomain

/// Checks a log from the first record that is left: that each record is one, is of this log, has the next `seq` and no earlier
/// `at`, that its stored leaf hash is its own, and at the end that the stored frontier is that of exactly these records.
///
/// It shows that the records and the frontier belong together. That they are what was once written is shown only by a
/// checkpoint which somebody else has kept.
package struct LogCheck: Sendable {
    /// The log that the records should be of.
    package let log: LogID
    private var lastAt: Timestamp?
    /// The tree over the records so far, computed from their bytes alone, but for those that were removed.
    package private(set) var frontier: MerkleFrontier

    /// - Parameters:
    ///   - log: which log it should be. Take it from whoever asks, never from the log.
    ///   - removed: the tree over the records before the first one that is left.
    package init(log: LogID, after removed: MerkleFrontier = MerkleFrontier()) { (self.log, frontier) = (log, removed) }

    /// Takes the next record.
    ///
    /// - Parameter leafHash: what the store keeps as the record's leaf, if it keeps it.
    /// - Returns: what the bytes say, with every personal value withheld.
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

    /// Compares the stored frontier with the records, after the last of them.
    package func finish(storedFrontier: [UInt8]) throws(LogFault) {
        guard let stored = MerkleFrontier(bytes: storedFrontier) else { throw fault(.malformedFrontier) }
        guard stored.size == frontier.size else { throw fault(.wrongSize(stored.size)) }
        guard stored == frontier else { throw fault(.wrongFrontier) }
    }

    /// The first fault of a whole log, or `nil`.
    package static func firstFault(
        in records: some Sequence<(bytes: [UInt8], leafHash: [UInt8])>, of log: LogID, storedFrontier: [UInt8]
    ) -> LogFault? {
        var check = Self(log: log)
        do throws(LogFault) {
            for record in records { try check.add(record.bytes, leafHash: record.leafHash) }
            try check.finish(storedFrontier: storedFrontier)
            return nil
        } catch {
            return error
        }
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

/// The first thing that is wrong with a log.
package struct LogFault: Error, Equatable, Sendable {
    /// The `seq` that the wrong record should have; for a fault of the frontier, how many records were found.
    package let position: UInt64
    /// What is wrong there.
    package let problem: Problem

    package init(position: UInt64, problem: Problem) { (self.position, self.problem) = (position, problem) }

    /// The ways in which a log can be wrong.
    package enum Problem: Equatable, Sendable {
        /// The bytes are no record of a version that this program reads.
        case notARecord(RecordDecodingError)
        /// The record says that it is of this log.
        case otherLog(LogID)
        /// The record says this `seq`: one is missing, comes twice or stands in another's place.
        case wrongSeq(UInt64)
        /// The record's `at` is below that of the record before it.
        case earlierThanTheOneBefore
        /// The stored leaf hash is not that of the bytes.
        case wrongLeafHash
        /// The stored frontier is none: its length is not that of its size.
        case malformedFrontier
        /// The frontier is of this many records.
        case wrongSize(UInt64)
        /// The stored frontier is of as many records, and of others.
        case wrongFrontier
    }
}
