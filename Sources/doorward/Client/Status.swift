import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward status`: shows the state of one lock.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of a lock.",
        discussion: """
            LOCK is an id, or a name that is unique among the locks that you may see.

            With --watch the values are redrawn when they change, until Ctrl-C. In a pipe a line is printed for each changed value, \
            with --json the whole status on one line.

            Example: doorward status "Front door" --watch
            """)

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Flag(help: "Keep running and show changes, until Ctrl-C.")
    var watch = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let lock = try await NameResolver(client).lock(lock)
        guard !watch else {
            let follower = StatusFollower(client: client, isJSON: output.json)
            let entry = try await client.devices.device(lock.id).entry
            _ = try await Interruption.withInterrupt { try await follower.run(from: entry) }
            return
        }
        if output.json {
            return output.print(json: try await client.devices.status(lock.id).json) { _ in [] }
        }
        let device = try await client.devices.device(lock.id).content.device
        output.print(json: []) { Self.lines(device, $0) }
    }

    /// Returns a line for each value, with the value's name first.
    static func lines(_ device: Wire.Device, _ style: OutputStyle) -> [String] {
        let view = LockView(device)
        let since = Table.Cell(device.stateAt.map(style.instant))
        let online = device.isOnline == true ? [] : [[Table.Cell("last seen"), Table.Cell(device.lastSeen.map(style.instant))]]
        let facts: [[Table.Cell]] =
            [["name", Table.Cell(device.name, .bold)], ["state", view.state], ["since", since], ["door", view.door]]
            + [["battery", view.battery], ["online", view.online]] + online
            + [
                ["faults", Table.Cell(device.faults.map { $0.map(DisplayText.fault).joined(separator: ", ") }, .red)],
                ["where", Table.Cell(view.place)],
                ["can", Table.Cell(device.capabilities.map { $0.map(DisplayText.word).joined(separator: ", ") })],
                ["id", Table.Cell(device.id)],
            ]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
    }
}
