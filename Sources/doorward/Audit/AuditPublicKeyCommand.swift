import ArgumentParser
import DoorwardAPI
import DoorwardClient
import FoundationEssentials

/// `doorward audit public-key`: prints the key that checkpoints are verified with.
struct AuditPublicKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "public-key",
        abstract: "Print the public key of the gateway's checkpoints.",
        discussion: """
            Prints one line in the format of C2SP signed notes. Compare it once with the gateway's operator, over another way \
            than this connection, and keep it: later checks use the kept key. After a rotation, add the new key to the file as a \
            further line.

            Example: doorward audit public-key > doors.key
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let key = try await gateway.client().audit.publicKey().trimmedLine
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

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let answer = try await gateway.client().audit.rotateKey()
        output.print(json: answer.json) { _ in [answer.content.publicKey.printable] }
    }
}

extension String {
    /// The text without the line break at its end.
    var trimmedLine: String { hasSuffix("\n") ? String(dropLast()) : self }
}
