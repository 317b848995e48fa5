import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward discovered`: locks that were found and wait to be attached.
struct Discovered: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the locks that were found and can be attached.",
        discussion: """
            Shows what brokers with `discovery: true` in the gateway's configuration tell of: the name and make of each \
            lock, the adapter and profile it speaks by, what stands in the way of attaching it, and its id. You see those \
            that you may attach: on the brokers of your own portfolio, or as a super admin on all.

            Example: doorward attach "Front door" --discovered ID --property "Quay 1"
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let found = try await gateway.client().devices.discovered().all()
        output.print(json: found.json) { Self.lines(found.content, table.style($0)) }
    }

    /// A row for each, and for a person what to type to attach one.
    static func lines(_ found: [Wire.DiscoveredDevice], _ style: OutputStyle) -> [String] {
        if found.isEmpty { return style.isInteractive ? ["Nothing was found that you could attach"] : [] }
        var table = Table("NAME", "MAKE", "ADAPTER", "PROFILE", "STATE", "ID", rows: found.map(row))
        table.fittings = [.cut(to: 8), .cut(to: 8), .whole, .cut(to: 8), .cut(to: 8), .id]
        let hint = ["", "To attach one: doorward attach NAME --discovered ID --property PROPERTY"]
        return table.lines(style) + (style.isInteractive ? hint : [])
    }

    private static func row(_ lock: Wire.DiscoveredDevice) -> [Table.Cell] {
        let make = [lock.manufacturer, lock.model].compactMap(\.self).joined(separator: " ")
        let profile: String? = if case .string(let profile) = lock.address["profile"] { profile } else { nil }
        return [
            Table.Cell(lock.name), Table.Cell(make), Table.Cell(lock.adapter), Table.Cell(profile), state(lock),
            Table.Cell(lock.id),
        ]
    }

    private static func state(_ lock: Wire.DiscoveredDevice) -> Table.Cell {
        lock.problem.map { Table.Cell($0, .yellow) } ?? Table.Cell("ready", .green)
    }
}
