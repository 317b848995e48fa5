internal import DoorwardAudit
package import DoorwardDomain

/// The file of signed checkpoints. It is outside the database, so that a database that was restored or replaced does not bring
/// its own checkpoints along.
package protocol CheckpointStorage: Sendable {
    /// The name of the file, for messages.
    var path: String { get }

    /// The content of the file; `nil` if it does not exist.
    func read() async throws -> [UInt8]?

    /// Appends lines; durable on return. After an error, an incomplete line may be at the end of the file until `replace`.
    func append(_ lines: [UInt8]) async throws

    /// Replaces the whole content, or creates the file; durable on return. After an error the former content is unchanged.
    func replace(by lines: [UInt8]) async throws
}

/// The file of the key that signs checkpoints.
package protocol CheckpointKeyStorage: Sendable {
    /// Keeps a new key beside the present one; durable on return. It replaces a new key that was kept before.
    func stage(_ seed: Secret<[UInt8]>) async throws

    /// Makes the new key the present one; durable on return.
    func activateStaged() async throws
}

/// What signing checkpoints needs from outside: names, keys, files and intervals.
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
