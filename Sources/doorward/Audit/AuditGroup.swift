import ArgumentParser
import DoorwardClient
import FoundationEssentials

/// `doorward audit`: commands that prove what the access log contains.
struct AuditGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the access log's checkpoints, and prove and check what it contains.",
        discussion: """
            A checkpoint is a signed statement of the size and the root hash of a log. Keep checkpoints where the gateway cannot \
            change them: any later change, removal or insertion below them can then be proved.

            Exit codes: 0 whole, 1 changed, 2 wrong usage, 3 no connection, 4 incomplete or rolled back.
            """,
        subcommands: [
            AuditPublicKeyCommand.self, AuditCheckpointCommand.self, AuditExportCommand.self, AuditVerifyCommand.self,
            AuditProveCommand.self, AuditCheckCommand.self, AuditConsistencyCommand.self, AuditCrossCheckCommand.self,
            AuditRotateCommand.self,
        ])
}

/// `doorward audit public-key`: prints the key that checkpoints are verified with.
struct AuditPublicKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "public-key",
        abstract: "Print the public key of the gateway's checkpoints.",
        discussion: """
            Prints one line in the format of C2SP signed notes. Compare it once with the operator's copy of the key, over another channel \
            than this connection, and keep it: later checks use the kept key. After a rotation, add the new key to the file as a further \
            line.

            Example: doorward audit public-key > doors.key
            """)

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let key = try await output.client().audit.publicKey().trimmedLine
        output.print(json: JSONOutput.document(["publicKey": key])) { _ in [key.printable] }
    }
}

/// `doorward audit rotate`: replaces the key that signs checkpoints.
struct AuditRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the key that signs checkpoints, and print the new public key.",
        discussion: """
            The gateway signs a last checkpoint of each log with the old key, records the new key in its log with signatures of \
            both keys, and signs everything else with the new one. Checkpoints of the old key stay valid. Only super admins may do \
            this. Afterwards copy the new key file, `<store.path>.audit-key` on the gateway's host, to the backup of the keys.

            Example: doorward audit rotate >> doors.key
            """)

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let answer = try await output.client().audit.rotateKey()
        output.print(json: answer.json) { _ in [answer.content.printable] }
    }
}

extension String {
    /// The text without the line break at its end.
    var trimmedLine: String { hasSuffix("\n") ? String(dropLast()) : self }
}

/// `doorward audit checkpoint`: prints the newest checkpoint of a log.
struct AuditCheckpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Print the newest checkpoint of a log.",
        discussion: """
            Prints a signed note (C2SP tlog-checkpoint) that covers every record up to now. Keep it where the gateway cannot \
            change it. Without --log it prints the checkpoint of the only log that you may verify.

            A witness checks that a checkpoint continues the one that it has seen before, and cosigns the new one. The gateway keeps the \
            cosignatures of the witnesses in its configuration: --add sends it a checkpoint with their signature lines.

            Example: doorward audit checkpoint > monday.note
            """)

    @Flag(help: "Print the newest checkpoint that a witness has cosigned instead.")
    var cosigned = false

    @Option(
        help: ArgumentHelp(
            "A file with a checkpoint and the cosignatures of witnesses, which the gateway is to keep.", valueName: "file"),
        completion: .file())
    var add: String?

    @OptionGroup var log: LogOption
    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if cosigned, add != nil { throw ValidationError("--cosigned and --add cannot be used together.") }
    }

    func run() async throws {
        let client = try output.client()
        let given = try add.map { try AuditFiles.text($0) }
        let id = try await log.id(client)
        let note =
            if let given {
                try await client.audit.cosign(given, of: id)
            } else if cosigned {
                try await client.audit.cosignedCheckpoint(of: id)
            } else {
                try await client.audit.checkpoint(of: id)
            }
        output.print(json: JSONOutput.document(["checkpoint": note])) { _ in
            note.trimmedLine.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        }
    }
}

/// The option that names a log of the gateway.
struct LogOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The log: `gateway`, the id of a portfolio, or an origin. (default: the only one)", valueName: "log"))
    var log: String?

    /// Returns the id of the log.
    func id(_ client: DoorwardClient) async throws -> String {
        let logs = try await client.audit.logs().content
        if let log {
            guard let found = logs.first(where: { $0.id == log || $0.origin == log }) else {
                throw CommandFailure("There is no log `\(log.printable)` that you may verify.\(Self.list(logs))")
            }
            return found.id
        }
        guard let only = logs.first, logs.count == 1 else {
            throw CommandFailure(
                logs.isEmpty
                    ? "There is no log that you may verify: owners, portfolio admins and auditors may, and super admins the gateway's."
                    : "You may verify more than one log; name one of them with --log.\(Self.list(logs))",
                code: logs.isEmpty ? 1 : 2)
        }
        return only.id
    }

    private static func list(_ logs: [Doorward.AuditedLog]) -> String { logs.map { "\n  \($0.id.printable)" }.joined() }
}
