import ArgumentParser
import DoorwardAPI
import DoorwardClient
import FoundationEssentials

/// `doorward store backup`: requests a running gateway to copy its database.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Have the running gateway write a backup of its database.",
        discussion: """
            The gateway keeps running meanwhile. FILE is a path on the gateway's host: its folder must exist and be writable for \
            the gateway, the file must not exist yet. A relative path is resolved from your current folder. Only super admins \
            may do this.

            The key files are not part of the backup. Keep copies of them apart from the backups: of the signing key once, of the \
            audit key after each rotation, and of the person keys after each erasure, when older copies of these are deleted.

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
            "Check it there with: doorward store check --store-path \(backup.file.shellQuoted)",
        ]
    }
}
