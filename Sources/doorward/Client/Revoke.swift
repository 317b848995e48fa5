import ArgumentParser
import DoorwardClient

/// `doorward revoke`: ends a guest access.
struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a guest access at once.",
        discussion: """
            When this has ended with 0, nothing more happens under the access, not even a command that was waiting.

            Example: doorward revoke 01990a3c-5b1e-7c3f-8f4e-0c9d2a4b6e71
            """)

    @Argument(help: ArgumentHelp("The guest access, as `doorward grants` lists it.", valueName: "id"))
    var id: String

    func run() async throws {
        try await ClientAccess().client().guestAccesses.revoke(id)
        StandardStream.output.line(Style.output.isForPerson ? "Revoked \(id.printable)." : "\(id.printable)\trevoked")
    }
}
