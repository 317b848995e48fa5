import ArgumentParser
import DoorwardClient

/// `doorward revoke`: revokes a guest access.
struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a guest access at once.",
        discussion: """
            After exit code 0 no command is sent under this access any more, not even one that was queued.

            ACCESS is an id, as `doorward grants` lists it, or a label or guest's name that only one current access has.

            Example: doorward revoke Plumber
            """)

    @Argument(help: ArgumentHelp("The guest access: an id, a label or the guest's name.", valueName: "access"))
    var access: String

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let access = try await NameResolver(client).guestAccess(access)
        try await client.guestAccesses.revoke(access.id)
        let id = access.id.printable
        guard OutputStyle.output.isInteractive else {
            StandardStream.output.line("\(id)\trevoked")
            return
        }
        StandardStream.output.line("Revoked \(access.name.map { "\($0.printable), id \(id)" } ?? id).")
    }
}
