import ArgumentParser
import DoorwardAPI
import DoorwardClient
import FoundationEssentials

/// `doorward store backup`: a copy of a running gateway's database.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Have the running gateway write a backup of its database.",
        discussion: """
            The gateway goes on meanwhile. FILE lies on the gateway's own host, in a folder that is there and that the gateway may \
            write to, and must not exist yet; a relative one is taken from the folder that you are in. Only super admins may do this.

            The file with the signing key is not part of it, and never changes: keep a copy of that beside the backups.

            Example: doorward store backup /var/backups/doorward-monday.db
            """)

    @Argument(help: ArgumentHelp("The file to write, on the gateway's host.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let target = Self.absolute(file, from: FileManager.default.currentDirectoryPath)
        let answer = try await Progress("Writing \(target)").during { try await client.store.backUp(to: target) }
        output.print(json: answer.json) { Self.lines(answer.content.backup, $0) }
    }

    static func absolute(_ file: String, from folder: String) -> String {
        file.hasPrefix("/") ? file : folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }

    static func lines(_ backup: Wire.Backup, _ style: OutputStyle) -> [String] {
        guard style.isInteractive else { return ["\(backup.file.printable)\t\(backup.bytes)\t\(backup.at)"] }
        let records = backup.logs.reduce(0) { $0 + $1.size }
        let (logs, noun) = (backup.logs.count, backup.logs.count == 1 ? "log" : "logs")
        return [
            "Wrote \(backup.file.printable) on the gateway's host: \(backup.bytes) bytes, \(records) records in \(logs) \(noun).",
            "Check it there with: doorward store check --store-path \(backup.file.printable)",
        ]
    }
}
