internal import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of proving the access log: checkpoints, proofs, and the key that signs them.
package struct AuditLogs: Sendable {
    private let kernel: Kernel
    /// `nil` for a gateway that signs no checkpoints.
    private let checkpoints: Checkpoints?

    package init(_ kernel: Kernel, checkpoints: Checkpoints?) { (self.kernel, self.checkpoints) = (kernel, checkpoints) }

    /// A log that the caller may verify.
    package struct AuditedLog: Sendable {
        /// The log.
        package let log: LogID
        /// The name of the log in its checkpoints.
        package let origin: String
        /// The number of records.
        package let size: UInt64
        /// When the newest checkpoint was signed; `nil` before the first one.
        package let lastCheckpointAt: Timestamp?
        /// Whether records under the newest checkpoint have changed since it was signed.
        package let isContradicted: Bool
    }

    /// A proof by hashes of the log's Merkle tree.
    package struct Proof: Sendable {
        /// The log.
        package let log: LogID
        /// The leaf hash of the record; `nil` for a proof of consistency.
        package let leafHash: [UInt8]?
        /// The hashes, 32 bytes each, in the order of RFC 9162, section 2.1.
        package let hashes: [[UInt8]]
    }

    /// The logs that the caller may verify, in the order of their ids.
    package func logs(for caller: Caller) async throws(GatewayError) -> [AuditedLog] {
        let checkpoints = try signing()
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let heads = try await mappingStoreErrors(await kernel.storeGuard.log.logHeads())
        let contradicted = checkpoints.contradicted
        return heads.filter { (try? tenancy.requireVerification(of: $0.log, by: subject)) != nil }.map { head in
            AuditedLog(
                log: head.log, origin: checkpoints.origin(of: head.log).description, size: head.size,
                lastCheckpointAt: head.lastCheckpoint?.signedAt, isContradicted: contradicted.contains(head.log))
        }
    }

    /// The newest checkpoint of a log as a signed note. If there are newer records, it is signed first.
    ///
    /// - Parameter name: the id of the log, as the caller wrote it.
    package func checkpoint(of name: String, for caller: Caller) async throws(GatewayError) -> String {
        let (checkpoints, log) = (try signing(), try await verifiable(name, for: caller).log)
        try await checkpoints.signForRequest([log])
        guard let entry = checkpoints.newest(of: log) else { throw .notFound }
        return entry.note.rendered
    }

    /// The newest checkpoint of a log that a witness has cosigned.
    ///
    /// - Throws: `.notFound` if there is none; the errors of `checkpoint`.
    package func cosignedCheckpoint(of name: String, for caller: Caller) async throws(GatewayError) -> String {
        let (checkpoints, log) = (try signing(), try await verifiable(name, for: caller).log)
        guard let entry = checkpoints.newestCosigned(of: log) else { throw .notFound }
        return entry.note.rendered
    }

    /// Keeps the cosignatures of witnesses over a checkpoint of a log.
    ///
    /// - Parameter note: the checkpoint with the cosignatures, a signed note.
    /// - Returns: the checkpoint with all its cosignatures.
    /// - Throws: `.invalid` if the note is not a checkpoint of the log, or has no right cosignature of a configured witness.
    package func cosign(_ note: String, of name: String, for caller: Caller) async throws(GatewayError) -> String {
        let (checkpoints, log) = (try signing(), try await verifiable(name, for: caller).log)
        return try await checkpoints.cosign(note, of: log).note.rendered
    }

    /// The public key of the checkpoints that are signed now, in the format of C2SP signed notes.
    package func publicKey() throws(GatewayError) -> String { try signing().publicKey.description }

    /// The proof that a record is among the first `size` records of a log.
    package func inclusionProof(
        of seq: UInt64, size: UInt64, in name: String, for caller: Caller
    ) async throws(GatewayError) -> Proof {
        let (log, present) = try await verifiable(name, for: caller)
        guard present >= size else { throw .invalid("size", "out_of_range") }
        guard seq < size else { throw .invalid("seq", "out_of_range") }
        let leafHash = try await mappingStoreErrors(await kernel.storeGuard.log.node(level: 0, index: seq, of: log))
        guard let leafHash, let hashes = try await proofs.inclusion(of: seq, size: size, in: log) else {
            throw .internalFailure("the tree of log \(log) has no hash for record \(seq)")
        }
        return Proof(log: log, leafHash: leafHash, hashes: hashes)
    }

    /// The proof that the first `old` records of a log are the beginning of the first `new` ones.
    package func consistencyProof(
        from old: UInt64, to new: UInt64, in name: String, for caller: Caller
    ) async throws(GatewayError) -> Proof {
        let (log, present) = try await verifiable(name, for: caller)
        guard present >= new else { throw .invalid("to", "out_of_range") }
        guard old <= new else { throw .invalid("from", "out_of_range") }
        guard let hashes = try await proofs.consistency(from: old, to: new, in: log) else {
            throw .internalFailure("the tree of log \(log) has no hashes for \(old) to \(new)")
        }
        return Proof(log: log, leafHash: nil, hashes: hashes)
    }

    /// Replaces the key that signs checkpoints, and records it. Only super admins may do this.
    ///
    /// - Returns: the new public key.
    package func rotateKey(_ caller: Caller) async throws(GatewayError) -> String {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
        return try await signing().rotate(by: RecordActor(of: caller, in: tenancy), caller.origin).description
    }

    private func signing() throws(GatewayError) -> Checkpoints {
        guard let checkpoints else { throw .unavailable }
        return checkpoints
    }

    private var proofs: LogProofs { LogProofs(log: kernel.storeGuard.log) }

    /// The log and its size, if it exists and the caller may verify it.
    private func verifiable(_ name: String, for caller: Caller) async throws(GatewayError) -> (log: LogID, size: UInt64) {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        guard let log = LogID(name) else { throw .outOfReach(of: subject) }
        try tenancy.requireVerification(of: log, by: subject)
        let frontier = try await mappingStoreErrors(await kernel.storeGuard.log.frontier(of: log))
        guard let frontier else { throw .outOfReach(of: subject) }
        return (log, frontier.size)
    }
}

extension TenancyDirectory {
    /// Throws why a subject may not verify a log. The log of a deleted portfolio is verified by super admins.
    fileprivate func requireVerification(of log: LogID, by subject: Subject) throws(GatewayError) {
        if let id = log.portfolioID, portfolio(id) != nil {
            try require(.accessLogVerify, of: subject, on: .portfolio(id))
        } else {
            guard log == .gateway || subject.isSuperAdmin else { throw .outOfReach }
            try require(.accessLogVerify, of: subject, on: .gateway)
        }
    }
}

/// The parameters of signing checkpoints: names, keys, files and intervals.
package struct AuditSetup: Sendable {
    /// The private key. Its name is that of the gateway, and its public half is in the store.
    let signer: NoteSigner
    /// Where the key is kept.
    package var keys: any CheckpointKeyStorage
    /// Where the checkpoints are kept.
    package var storage: any CheckpointStorage
    /// The number of new records of a log after which a checkpoint is signed.
    package var maxRecords: Int
    /// The time after a new record at which a checkpoint is signed, even if there are fewer.
    package var maxInterval: Duration
    /// Whether the running gateway signs by itself; otherwise only on request and at a stop.
    package var signsByItself = true

    /// The public keys of the witnesses whose cosignatures are accepted.
    let witnesses: [VerifierKey]

    /// The maximum number of witnesses: a note has at most 16 signatures, of which the gateway's keys have up to two.
    package static let maxWitnesses = 8

    /// Whether a text is the public key of a witness, as C2SP signed-note writes it.
    package static func isWitness(_ text: String) -> Bool { VerifierKey(parsing: text)?.algorithm == .cosignature }

    /// - Parameters:
    ///   - gatewayName: the first part of the logs' origins, and the name of the key.
    ///   - key: the 32 bytes of the private key (Ed25519).
    ///   - witnesses: the public keys of witnesses (`isWitness`), at most `maxWitnesses`; others are ignored, as is one with the
    ///     name of the gateway.
    /// - Throws: if the key does not have 32 bytes.
    package init(
        gatewayName: String, key: Secret<[UInt8]>, keys: any CheckpointKeyStorage, storage: any CheckpointStorage,
        maxRecords: Int = 256, maxInterval: Duration = .seconds(60), witnesses: [String] = []
    ) throws {
        signer = try NoteSigner(name: gatewayName, seed: key.reveal())
        self.witnesses = Array(
            witnesses.compactMap { VerifierKey(parsing: $0) }.filter { $0.algorithm == .cosignature && $0.name != gatewayName }
                .prefix(Self.maxWitnesses))
        (self.keys, self.storage) = (keys, storage)
        (self.maxRecords, self.maxInterval) = (maxRecords, maxInterval)
    }
}

/// Computes proofs from the complete subtrees that the store has. The cost grows with the logarithm of the log's size.
struct LogProofs {
    let log: any AccessLogStore

    /// The root over the first `size` records; `nil` if the log has fewer.
    func root(of id: LogID, size: UInt64) async throws(GatewayError) -> [UInt8]? {
        try await hashes([MerkleProof.frontier(size: size)], of: id)?.first
    }

    /// - Returns: `nil` unless `seq` < `size`, and the log has as many records.
    func inclusion(of seq: UInt64, size: UInt64, in id: LogID) async throws(GatewayError) -> [[UInt8]]? {
        guard let plan = MerkleProof.inclusion(of: seq, size: size) else { return nil }
        return try await hashes(plan, of: id)
    }

    /// - Returns: `nil` unless `old` ≤ `new`, and the log has as many records.
    func consistency(from old: UInt64, to new: UInt64, in id: LogID) async throws(GatewayError) -> [[UInt8]]? {
        guard old > 0 else { return [] }
        guard let plan = MerkleProof.consistency(from: old, to: new) else { return nil }
        return try await hashes(plan, of: id)
    }

    /// Reads the planned hashes in one read of the store.
    ///
    /// - Parameter reader: on whose behalf many hashes are read; `nil` for the few of one proof.
    /// - Returns: `nil` if the tree lacks one of them.
    func hashes(
        _ plan: [MerkleProof.PlannedHash], of id: LogID, for reader: ListReader? = nil
    ) async throws(GatewayError) -> [[UInt8]]? {
        let nodes = try await mappingStoreErrors(await log.nodes(Array(plan.joined()), of: id, for: reader))
        guard var rest = nodes?[...] else { return nil }
        return plan.map { planned in
            defer { rest = rest.dropFirst(planned.count) }
            return MerkleProof.root(of: Array(rest.prefix(planned.count)))
        }
    }
}
