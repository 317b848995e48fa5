import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl

/// `doorward grants`: lists guest accesses.
struct Grants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List guest accesses: those that you hold, gave or may manage.",
        discussion: """
            The status is active, scheduled (the window has not started), expired (the window has ended) or revoked. HOURS are those \
            of the property or of the zone beside them, USES the uses that are left of all, and LINK is `yes` if there is a link \
            that works; you see it if you may end it. FROM and UNTIL are in your own time zone.

            On a terminal, columns without any value are left out. A narrow table has no ids, and may show of the uses only those \
            that are left, from 100,000 on in thousands (120k): --wide shows everything.

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
        let locks = output.json ? [:] : try await finder.lockNames(in: accesses.content)
        let linked = output.json ? [] : try await linkedIDs(among: accesses.content, deviceID, client)
        let now = SystemClock().now()
        output.print(json: accesses.json) { style in
            if accesses.content.isEmpty { return style.isInteractive ? ["There are no guest accesses."] : [] }
            let views = accesses.content.map { GuestAccessView($0, lockNames: locks, hasLink: linked.contains($0.id), now: now) }
            let style = table.style(style)
            return GuestAccessView.table(views, style).lines(style)
        }
    }

    /// The ids of the accesses with a link.
    private func linkedIDs(
        among accesses: [Wire.GuestAccess], _ deviceID: String?, _ client: DoorwardClient
    ) async throws -> Set<String> {
        guard !accesses.isEmpty else { return [] }
        return Set(try await client.guestAccesses.list(deviceID: deviceID, hasLink: true).all().content.map(\.id))
    }
}
