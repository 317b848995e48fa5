import DoorwardControl
import DoorwardStore

/// The files that a gateway needs beside a database: the three key files and the checkpoints.
struct StoreFiles {
    /// Sentences about files that exist and that no gateway can use.
    private(set) var problems: [String] = []
    /// Sentences about files that do not exist. A backup has none of them.
    private(set) var missing: [String] = []
    private var count = 0

    /// Whether not one of the files exists, as with a backup in a folder of its own.
    var areAllMissing: Bool { missing.count == count }

    /// Looks at all files, and changes none.
    init(of configuration: GatewayConfiguration) async {
        for key in [SigningKeyFile.accessTokens(configuration), .checkpoints(configuration)] {
            await look(at: key.path, key.noun, key.setting) { try key.check() }
        }
        let personKeys = configuration.personKeyPath
        await look(at: personKeys, "the file with the keys of personal data", "audit.personKeyFile") {
            try SQLiteStore.hasPersonKeys(at: personKeys)
        }
        let checkpoints = CheckpointFile(path: configuration.checkpointPath)
        await look(at: checkpoints.path, "the file with the signed checkpoints", "audit.checkpointFile") {
            try await checkpoints.read() != nil
        }
    }

    /// - Parameters:
    ///   - noun: the file in messages.
    ///   - setting: the configuration key that names the file.
    private mutating func look(
        at path: String, _ noun: String, _ setting: String, exists: () async throws -> Bool
    ) async {
        count += 1
        do {
            guard try await !exists() else { return }
            missing.append(
                "\(path): \(noun) is missing; restore the newest copy of it, or name the place where it is as \(setting)")
        } catch {
            problems.append((error as? CommandFailure)?.sentence ?? "\(error)")
        }
    }
}
