import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward audit checkpoint`: prints the newest checkpoint of a log.
struct AuditCheckpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Print the newest checkpoint of a log.",
        discussion: """
            Prints a signed note (C2SP tlog-checkpoint) that covers every record up to now. Keep it where the gateway cannot \
            change it. Without --log it is that of the only log that you may verify.

            A witness checks that a checkpoint continues the one it has seen before, and cosigns it. The gateway keeps the \
            cosignatures of the witnesses in its configuration: --add gives it the checkpoint with their lines.

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
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        if cosigned, add != nil { throw ValidationError("--cosigned and --add cannot be used together.") }
    }

    func run() async throws {
        let client = try gateway.client()
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
        let logs = try await client.audit.logs().content.logs
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

    private static func list(_ logs: [Wire.AuditedLog]) -> String { logs.map { "\n  \($0.id.printable)" }.joined() }
}
