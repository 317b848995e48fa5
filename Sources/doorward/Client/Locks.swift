import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward locks`: lists the visible locks.
struct Locks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the locks that you may see.",
        discussion: """
            Shows the name, state, door, battery and place of each, whether it is in reach, and its id, which every command takes \
            in place of the name. A table on a terminal shows the beginnings of ids; every command takes those too.

            With --follow the table is redrawn when it changes, until Ctrl-C. In a pipe a line is printed for each changed lock, \
            with --json one JSON object per line.

            Example: doorward locks --property "Quay 1"
            """)

    @Option(help: ArgumentHelp("Only those of this property: a name or id.", valueName: "property"), completion: .propertyName)
    var property: String?

    @Option(help: ArgumentHelp("Only those of this unit: a name or id.", valueName: "unit"))
    var unit: String?

    @Flag(help: "Keep running and show changes, until Ctrl-C.")
    var follow = false

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let place = try await NameResolver(client).place(property: property, unit: unit)
        let locks = try await client.devices.list(propertyID: place.propertyID, unitID: place.unitID).all()
        guard !follow else {
            let follower = LocksFollower(
                client: client, propertyID: place.propertyID, unitID: place.unitID, isJSON: output.json, table: table)
            _ = try await Interruption.withInterrupt { try await follower.run(from: locks) }
            return
        }
        output.print(json: locks.json) { style in
            if locks.content.isEmpty {
                return style.isInteractive ? ["You see no locks\(property ?? unit == nil ? "" : " there")."] : []
            }
            return Self.table(locks.content).lines(table.style(style))
        }
    }

    /// Locks as a table.
    static func table(_ locks: [Wire.Device]) -> Table {
        var table = Table("NAME", "STATE", "DOOR", "BATTERY", "ONLINE", "WHERE", "ID", rows: locks.map(row))
        table.fittings = [.cut(to: 8), .cut(to: 8), .whole, .whole, .whole, .cut(to: 5), .id]
        return table
    }

    private static func row(_ lock: Wire.Device) -> [Table.Cell] {
        let view = LockView(lock)
        return [
            Table.Cell(lock.name), view.state, view.door, view.battery, view.online, Table.Cell(view.place),
            Table.Cell(lock.id, .dim),
        ]
    }
}
