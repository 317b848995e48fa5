import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardStore

/// The exit code of `serve` for a rolled-back log.
let rollbackExitCode: Int32 = 4

extension AuditSetup {
    /// Opens the audit key and the checkpoint file, or creates both at the first start: first the file, then the key, so that the
    /// file exists whenever the store knows the key.
    ///
    /// - Throws: `CommandFailure`, with exit code 4 if the database is older than the key.
    static func open(
        _ configuration: GatewayConfiguration, _ storeGuard: StoreGuard, random: RandomSource
    ) async throws -> AuditSetup {
        let key = SigningKeyFile.checkpoints(configuration)
        let storage = CheckpointFile(path: configuration.checkpointPath)
        do {
            let known = try await storeGuard.credentials.publicKeys(for: key.purpose)
            let content = try await storage.read()
            if known.isEmpty, content == nil { try await storage.replace(by: []) }
            if try key.isNewer(than: known, CheckpointJournal(parsing: content ?? [])) {
                let mismatch = CheckpointMismatch(log: nil, problem: .unknownKey)
                throw CommandFailure(
                    RollbackError(mismatches: [mismatch], path: storage.path).description, code: rollbackExitCode)
            }
        } catch let failure as CheckpointFile.Failure {
            throw CommandFailure(failure.description)
        }
        let seed = try await key.seed(knownTo: storeGuard, random: random)
        return try AuditSetup(configuration, key, seed, storage)
    }

    /// Like `open`, but makes a key of the file that the database does not know the present one, if checkpoints are signed with
    /// it.
    static func openForRecovery(
        _ configuration: GatewayConfiguration, _ storeGuard: StoreGuard, random: RandomSource
    ) async throws -> AuditSetup {
        let key = SigningKeyFile.checkpoints(configuration)
        let storage = CheckpointFile(path: configuration.checkpointPath)
        let journal = CheckpointJournal(parsing: try await storage.read() ?? [])
        let known = try await storeGuard.credentials.publicKeys(for: key.purpose)
        if try key.isNewer(than: known, journal), let seed = try key.present() { try await key.note(seed, in: storeGuard) }
        return try AuditSetup(configuration, key, try await key.seed(knownTo: storeGuard, random: random), storage)
    }

    private init(
        _ configuration: GatewayConfiguration, _ key: SigningKeyFile, _ seed: Secret<[UInt8]>, _ storage: CheckpointFile
    ) throws {
        let witnesses = configuration.audit.witnesses
        if witnesses.count > Self.maxWitnesses {
            throw CommandFailure(
                "`audit.witnesses` has \(witnesses.count) public keys; at most \(Self.maxWitnesses) are supported")
        }
        try self.init(
            gatewayName: configuration.gateway.name, key: seed, keys: key, storage: storage,
            maxRecords: configuration.audit.checkpointRecords, maxInterval: .seconds(configuration.audit.checkpointSeconds),
            witnesses: witnesses)
    }
}

extension SigningKeyFile {
    /// Whether the file's key has signed checkpoints, and the store knows other keys only: the store was rolled back to a time
    /// before the rotation.
    fileprivate func isNewer(than known: [[UInt8]], _ journal: CheckpointJournal) throws -> Bool {
        guard !known.isEmpty, let publicHalf = try publicHalf(), !known.contains(publicHalf) else { return false }
        return journal.entries.contains { $0.isSigned(byOneOf: [publicHalf]) }
    }
}

extension GatewayConfiguration {
    /// The path of the checkpoint file.
    var checkpointPath: String { audit.checkpointFile ?? "\(store.path).checkpoints" }

    /// The path of the file with the keys that encrypt personal data in the database.
    var personKeyPath: String { audit.personKeyFile ?? "\(store.path).person-keys" }
}
