internal import DoorwardAudit
package import DoorwardDomain
internal import DoorwardKernel

/// A contradiction between the checkpoint file and the store: one of them was rolled back, replaced or changed.
package struct CheckpointMismatch: Hashable, Sendable {
    /// The log concerned; `nil` if all are.
    package let log: LogID?
    /// The kind of the contradiction.
    package let problem: Problem

    /// The kinds of contradictions.
    package enum Problem: Hashable, Sendable {
        /// The file does not exist, although the gateway has signed checkpoints.
        case fileMissing
        /// The key that signs checkpoints is not among those that the store knows, although it signed checkpoints in the file.
        case unknownKey
        /// This line of the file is not a checkpoint.
        case damagedLine(Int)
        /// The newest checkpoint in the file is not signed by a key of this gateway.
        case notSigned
        /// The log has fewer records than its newest checkpoint covers.
        case fewerRecords(UInt64, signed: UInt64)
        /// The records under the newest checkpoint are not those that were signed.
        case otherRecords(signed: UInt64)
        /// The file has a checkpoint of a generation of the log that the store does not know.
        case unknownGeneration(Int)
        /// The store knows of a newer checkpoint than the file has.
        case olderFile(signed: UInt64)
    }

    package init(log: LogID?, problem: Problem) { (self.log, self.problem) = (log, problem) }

    /// A clause that names the log and the contradiction.
    package var description: String {
        let name = log.map { "log \($0)" } ?? "the log"
        return switch problem {
        case .fileMissing: "the file with the signed checkpoints is missing"
        case .unknownKey: "the database does not know the key that signed the newest checkpoints"
        case .damagedLine(let line): "line \(line) of the file with the signed checkpoints is not a checkpoint"
        case .notSigned: "the newest checkpoint of \(name) is not signed by a key of this gateway"
        case .fewerRecords(let size, let signed): "\(name) has \(size) records, but a signed checkpoint covers \(signed)"
        case .otherRecords(let signed): "the first \(signed) records of \(name) are not those that were signed"
        case .unknownGeneration(let number): "the database does not know generation \(number) of \(name), which has a checkpoint"
        case .olderFile(let signed):
            "the file with the signed checkpoints is older than the database, which had \(signed) records of \(name) signed"
        }
    }
}

/// The gateway does not start: the access log was rolled back, or its checkpoints were.
package struct RollbackError: Error, CustomStringConvertible {
    /// The contradictions; at least one.
    package let mismatches: [CheckpointMismatch]
    /// The checkpoint file.
    package let path: String

    package init(mismatches: [CheckpointMismatch], path: String) { (self.mismatches, self.path) = (mismatches, path) }

    /// One sentence with the first contradiction and the next step.
    package var description: String {
        let first = mismatches.first?.description ?? "the database and the checkpoints do not match"
        let others = mismatches.count > 1 ? " (and \(mismatches.count - 1) more)" : ""
        return
            "\(path): \(first)\(others): the access log was rolled back or changed; restore the newest database and this file, or, "
            + "to go on without the lost records, run `doorward store recover --accept-rollback`"
    }
}

extension CheckpointJournal {
    /// The contradictions with the store, in the order of the logs' ids.
    ///
    /// - Parameters:
    ///   - heads: every log of the store.
    ///   - keys: all public keys that the gateway has had.
    ///   - root: the root over the first records of a log, whose number is at least the given one.
    func mismatches(
        _ heads: [LogHead], keys: [[UInt8]], root: (LogID, UInt64) async throws(GatewayError) -> [UInt8]?
    ) async throws(GatewayError) -> [CheckpointMismatch] {
        var found = damagedLine.map { [CheckpointMismatch(log: nil, problem: .damagedLine($0))] } ?? []
        let newest = newest
        let stored = heads.reduce(into: [LogID: LogHead]()) { $0[$1.log] = $1 }
        for log in Set(newest.keys).union(stored.keys).sorted(by: { $0.description < $1.description }) {
            let (head, entry) = (stored[log] ?? LogHead(log: log, size: 0, lastCheckpoint: nil), newest[log])
            let problem = try await Self.problem(of: head, entry, keys: keys, root: root)
            if let problem { found.append(CheckpointMismatch(log: log, problem: problem)) }
        }
        return found
    }

    private static func problem(
        of head: LogHead, _ entry: Entry?, keys: [[UInt8]], root: (LogID, UInt64) async throws(GatewayError) -> [UInt8]?
    ) async throws(GatewayError) -> CheckpointMismatch.Problem? {
        let (generation, marked) = (head.lastCheckpoint?.generation ?? 1, head.lastCheckpoint?.size ?? 0)
        // A checkpoint of an earlier generation was given up when the present one was opened.
        guard let entry, entry.origin.generation >= generation else { return marked > 0 ? .olderFile(signed: marked) : nil }
        guard entry.isSigned(byOneOf: keys) else { return .notSigned }
        guard entry.origin.generation == generation else { return .unknownGeneration(entry.origin.generation) }
        let size = entry.checkpoint.size
        guard size >= marked else { return .olderFile(signed: marked) }
        guard head.size >= size else { return .fewerRecords(head.size, signed: size) }
        return try await root(head.log, size) == entry.checkpoint.root ? nil : .otherRecords(signed: size)
    }
}
