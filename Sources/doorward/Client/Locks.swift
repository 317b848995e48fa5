import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward locks`: the locks that one may see.
struct Locks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the locks that you may see.",
        discussion: """
            Shows the name, state, door, battery and place of each, whether it is in reach, and its id, which every command takes \
            in place of the name.

            Example: doorward locks --property "Quay 1"
            """)

    @Option(help: ArgumentHelp("Only those of this property: a name or id.", valueName: "property"))
    var property: String?

    @Option(help: ArgumentHelp("Only those of this unit: a name or id.", valueName: "unit"))
    var unit: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let place = try await Finder(client).place(property: property, unit: unit)
        let locks = try await client.devices.list(propertyID: place.propertyID, unitID: place.unitID).all()
        output.print(json: locks.json) { style in
            if locks.content.isEmpty {
                return style.isForPerson ? ["You see no locks\(property ?? unit == nil ? "" : " there")."] : []
            }
            return Table(
                "NAME", "STATE", "DOOR", "BATTERY", "ONLINE", "WHERE", "ID", rows: locks.content.map(Self.row)
            ).lines(style)
        }
    }

    private static func row(_ lock: Wire.Device) -> [Table.Cell] {
        let view = LockView(lock)
        return [
            Table.Cell(lock.name), view.state, view.door, view.battery, view.online, Table.Cell(view.place),
            Table.Cell(lock.id, .dim),
        ]
    }
}
