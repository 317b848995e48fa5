import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl

/// `doorward grants`: lists guest accesses.
struct Grants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List guest accesses: those that you hold, gave or may manage.",
        discussion: """
            The status is active, scheduled (the window has not started), expired (the window has ended) or revoked.

            Example: doorward grants "Front door"
            """)

    @Argument(help: ArgumentHelp("Only those to this lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let finder = NameResolver(client)
        var deviceID: String?
        if let lock { deviceID = try await finder.lock(lock).id }
        let accesses = try await client.guestAccesses.list(deviceID: deviceID).all()
        let names = output.json ? GuestNames() : try await finder.names(in: accesses.content)
        let now = SystemClock().now()
        output.print(json: accesses.json) { style in
            if accesses.content.isEmpty { return style.isInteractive ? ["There are no guest accesses."] : [] }
            let (views, style) = (accesses.content.map { GuestAccessView($0, names: names, now: now) }, table.style(style))
            return GuestAccessView.table(views, style).lines(style)
        }
    }
}
