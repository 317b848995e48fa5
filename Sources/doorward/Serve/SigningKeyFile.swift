import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Glibc

/// A file with an Ed25519 key of the gateway: 32 bytes in base64, mode 0600, created at the first start.
///
/// The store contains the public half. The gateway does not start if the store has a public half and the file is missing or
/// contains another key. Otherwise the replacement of the key, for example by an attacker, would remain unnoticed.
struct SigningKeyFile: Sendable {
    let path: String
    let purpose: KeyPurpose
    /// The key in messages: `the key that signs access tokens`.
    let noun: String
    /// The configuration key that names the file.
    let setting: String
    /// The consequences if another person has read the key, and what the operator must do then.
    private let exposure: String

    /// The key that signs access tokens: a file in the database's folder unless the configuration contains another path.
    static func accessTokens(_ configuration: GatewayConfiguration) -> SigningKeyFile {
        SigningKeyFile(
            path: configuration.signingKeyFile ?? "\(configuration.store.path).signing-key", purpose: .accessTokens,
            noun: "the key that signs access tokens", setting: "auth.signingKeyFile",
            exposure:
                "Whoever has read it can make access tokens, and this version cannot replace the key: docs/operating.md says "
                + "what to do then")
    }

    /// The key that signs checkpoints of the access log: a file in the database's folder unless the configuration contains another
    /// path.
    static func checkpoints(_ configuration: GatewayConfiguration) -> SigningKeyFile {
        SigningKeyFile(
            path: configuration.audit.keyFile ?? "\(configuration.store.path).audit-key", purpose: .checkpoints,
            noun: "the key that signs checkpoints of the access log", setting: "audit.keyFile",
            exposure: "Whoever has read it can sign checkpoints: replace it with `doorward audit rotate` after the start")
    }

    /// Whether the file exists.
    ///
    /// - Throws: an error for a file that other users can read or that contains no key.
    func check() throws -> Bool { try present() != nil }

    /// Reads or creates the key, and writes its public half to the store if the store has none.
    func seed(knownTo storeGuard: StoreGuard, random: RandomSource = RandomSource()) async throws -> Secret<[UInt8]> {
        let known = try await storeGuard.credentials.publicKey(for: purpose)
        // Complete or discard a replacement of the key that was interrupted: the store decides which key is in force.
        if let known, let staged = read(draft) {
            if Self.publicHalf(of: staged) == known { try await activateStaged() } else { unlink(draft) }
        }
        let present = try present()
        guard present != nil || known == nil else {
            throw CommandFailure(
                "\(path): \(noun) is missing, but the database was used with one; restore the file, "
                    + "or name the place where it is as \(setting)")
        }
        let seed = present ?? Secret(random.bytes(32))
        if present == nil {
            try await stage(seed)
            try await activateStaged()
        }
        if known == nil { try await note(seed, in: storeGuard) }
        guard known == nil || known == Self.publicHalf(of: seed) else {
            throw CommandFailure(
                "\(path): this is not the key that the database was used with; restore the file that belongs to it")
        }
        return seed
    }

    /// Stores the public half of the key in the file, in place of the one that the store has.
    func note(_ seed: Secret<[UInt8]>, in storeGuard: StoreGuard) async throws {
        try await storeGuard.write(StoreTransaction(credentials: [.noteKey(purpose, publicHalf: Self.publicHalf(of: seed))]))
    }

    /// The key in the file; `nil` if there is no file.
    private func present() throws -> Secret<[UInt8]>? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let failure = SystemFailure.last
            guard failure.code == ENOENT else {
                throw CommandFailure("\(path): cannot check for \(noun): \(failure) (\(setting))")
            }
            return nil
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandFailure("\(path): others than its owner can read this key; run `chmod 600 \(path)`. \(exposure)")
        }
        guard let seed = read(path) else {
            throw CommandFailure("\(path): this file contains no key of Doorward; restore it from a copy")
        }
        return seed
    }

    /// The file's key, if it has signed checkpoints and the store knows other keys only: the store was rolled back to a time before
    /// the rotation.
    ///
    /// - Parameter known: the keys that the store knows.
    fileprivate func newerSeed(than known: [[UInt8]], _ journal: CheckpointJournal) throws -> Secret<[UInt8]>? {
        guard !known.isEmpty, let seed = try present() else { return nil }
        let publicHalf = Self.publicHalf(of: seed)
        let isNewer = !known.contains(publicHalf) && journal.entries.contains { $0.isSigned(byOneOf: [publicHalf]) }
        return isNewer ? seed : nil
    }

    private static func publicHalf(of seed: Secret<[UInt8]>) -> [UInt8] {
        // Any 32 bytes are a key (RFC 8032, section 5.1.5), and `read` returns no others.
        (try? NoteSigner(name: "doorward", seed: seed.reveal()))?.verifierKey.key ?? []
    }

    /// Returns `nil` if the file contains no key.
    private func read(_ name: String) -> Secret<[UInt8]>? {
        guard let text = try? String(contentsOfFile: name, encoding: .utf8),
            let data = Data(base64Encoded: text.filter { !$0.isNewline }), data.count == 32
        else { return nil }
        return Secret(Array(data))
    }
}

extension SigningKeyFile: CheckpointKeyStorage {
    /// A key is written to this file and flushed, and then renamed. So the file of the key is never visible half written.
    private var draft: String { "\(path).new" }

    /// Writes the new key to `<path>.new`.
    func stage(_ seed: Secret<[UInt8]>) async throws {
        let text = Data(seed.reveal()).base64EncodedString() + "\n"
        try writing { () throws(DurableFile.Failure) in try DurableFile.create(draft, Array(text.utf8)) }
    }

    /// Renames `<path>.new`.
    func activateStaged() async throws {
        try writing { () throws(DurableFile.Failure) in try DurableFile.rename(draft, to: path) }
    }

    private func writing(_ body: () throws(DurableFile.Failure) -> Void) throws {
        do throws(DurableFile.Failure) {
            try body()
        } catch {
            throw CommandFailure("\(path): \(noun) cannot be written here: \(error.reason) (\(setting))")
        }
    }
}

extension AuditSetup {
    /// Opens the audit key and the checkpoint file, or creates both at the first start: first the file, then the key, so that the
    /// file exists whenever the store knows the key.
    ///
    /// - Parameter acceptsRollback: whether a key of the file that the database does not know, and that has signed checkpoints, becomes
    ///   the present one. The checkpoint file is not created then.
    /// - Throws: `RollbackError` if the database is older than the key.
    static func open(
        _ configuration: GatewayConfiguration, _ storeGuard: StoreGuard, random: RandomSource, acceptsRollback: Bool = false
    ) async throws -> AuditSetup {
        let key = SigningKeyFile.checkpoints(configuration)
        let storage = CheckpointFile(path: configuration.checkpointPath)
        let known = try await storeGuard.credentials.publicKeys(for: key.purpose)
        let content = try await storage.read()
        if known.isEmpty, content == nil, !acceptsRollback { try await storage.replace(by: []) }
        if let newer = try key.newerSeed(than: known, CheckpointJournal(parsing: content ?? [])) {
            guard acceptsRollback else {
                throw RollbackError(mismatches: [CheckpointMismatch(log: nil, problem: .unknownKey)], path: storage.path)
            }
            try await key.note(newer, in: storeGuard)
        }
        let seed = try await key.seed(knownTo: storeGuard, random: random)
        let settings = configuration.audit
        guard settings.witnesses.count <= maxWitnesses else {
            throw CommandFailure(
                "`audit.witnesses` has \(settings.witnesses.count) public keys; at most \(maxWitnesses) are supported")
        }
        return try AuditSetup(
            gatewayName: configuration.http.gatewayName, key: seed, keys: key, storage: storage,
            maxRecords: settings.checkpointRecords, maxInterval: .seconds(settings.checkpointSeconds),
            witnesses: settings.witnesses)
    }
}

extension GatewayConfiguration {
    /// The path of the checkpoint file.
    var checkpointPath: String { audit.checkpointFile ?? "\(store.path).checkpoints" }

    /// The path of the file with the keys that encrypt personal data in the database.
    var personKeyPath: String { audit.personKeyFile ?? "\(store.path).person-keys" }
}
