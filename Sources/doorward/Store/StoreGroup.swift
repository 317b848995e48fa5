import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials
import Logging

/// `doorward store`: commands for backing up and checking the database.
struct StoreGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Back up a gateway's database, check one, and recover one.",
        subcommands: [BackupCommand.self, CheckCommand.self, RecoverCommand.self])
}

/// `doorward store backup`: requests a running gateway to copy its database.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Have the running gateway write a backup of its database.",
        discussion: """
            The gateway keeps running meanwhile. FILE is a path on the gateway's host: its folder must exist and be writable for \
            the gateway, the file must not exist yet. A relative path is resolved from your current folder. Only super admins \
            may do this.

            The key files are not part of the backup. Copy them to another place than the backups: the signing key once, the audit key \
            after each rotation, and the person keys after each erasure. Then delete older copies of the person keys.

            Example: doorward store backup /var/backups/doorward-monday.db
            """)

    @Argument(help: ArgumentHelp("The file to write, on the gateway's host.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let target = Self.absolute(file, from: FileManager.default.currentDirectoryPath)
        let answer = try await Progress("Writing \(target)").during { try await client.backUp(to: target) }
        output.print(json: answer.json) { Self.lines(answer.content, $0) }
    }

    static func absolute(_ file: String, from folder: String) -> String {
        file.hasPrefix("/") ? file : folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }

    static func lines(_ backup: Doorward.Backup, _ style: OutputStyle) -> [String] {
        guard style.isInteractive else { return ["\(backup.file.printable)\t\(backup.bytes)\t\(backup.at)"] }
        let records = backup.logs.reduce(0) { $0 + $1.size }
        let (logs, noun) = (backup.logs.count, backup.logs.count == 1 ? "log" : "logs")
        return [
            "Wrote \(backup.file.printable) on the gateway's host: \(backup.bytes) bytes, \(records) records in \(logs) \(noun).",
            "Check it there with: doorward store check --store-path \(backup.file.shellQuoted)",
        ]
    }
}

/// `doorward store recover`: accepts that logs have lost records, so that a gateway starts again.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Accept a restored database whose access log is older than its checkpoints.",
        discussion: """
            A gateway does not start (exit code 4) if signed records of its access log are missing or were changed, because a backup was \
            restored or the database was changed. If the lost records cannot be restored, this command opens a new generation of each such \
            log. Checkpoints of the new generation have another origin, so they do not contradict those that other people keep. A record \
            in each such log, and in the gateway's, says which checkpoint was given up. No gateway may run on the database.

            If nothing was lost, nothing is changed.

            Example: doorward store recover --accept-rollback --store-path restored/doorward.db
            """)

    @Flag(help: "Accept that the records after the restored state are lost permanently. Required.")
    var acceptRollback = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard acceptRollback else {
            throw ValidationError(
                "To give up the records that the database has lost, repeat the command with --accept-rollback; to keep them, "
                    + "restore a newer database.")
        }
    }

    func run() async throws {
        let configuration = try store.configuration()
        guard FileManager.default.fileExists(atPath: configuration.store.path) else {
            throw CommandFailure("\(configuration.store.path): there is no database; restore one first")
        }
        let clock = SystemClock()
        let opening: [(log: String, generation: Int)]
        do {
            opening = try await configuration.withStore(clock: clock) { store in
                let (storeGuard, random) = (StoreGuard(store: store), RandomSource())
                let setup = try await AuditSetup.open(configuration, storeGuard, random: random, acceptsRollback: true)
                let checkpoints = Checkpoints(
                    storeGuard: storeGuard, setup: setup, clock: clock, random: random, logger: .errorsOnly)
                return try await checkpoints.acceptRollback().map { ("\($0.key)", $0.value) }.sorted { $0.log < $1.log }
            }
        } catch {
            let isSentence = error is CommandFailure || error is StoreOpenError
            throw isSentence ? error : CommandFailure("the database could not be recovered: \(error)")
        }
        let generations = opening.map { ["logId": JSONValue.string($0.log), "generation": .integer(Int64($0.generation))] }
        output.print(json: JSONOutput.document(["generations": generations])) { style in
            opening.isEmpty
                ? ["Nothing was lost: the database has every record that a checkpoint covers."]
                : Table("LOG", "GENERATION", rows: opening.map { [Table.Cell($0.log), Table.Cell("\($0.generation)")] })
                    .lines(style)
        }
    }
}
