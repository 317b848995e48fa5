import ArgumentParser
import DoorwardClient

/// `doorward discovered`: lists discovered locks that can be attached.
struct Discovered: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the locks that were found and can be attached.",
        discussion: """
            Shows the locks that are announced on brokers with `discovery: true` in the gateway's configuration: name, make, \
            adapter and profile, any problem that prevents attaching, and id. You see the locks that you may attach: those on \
            the brokers of your own portfolio, or as a super admin those on all brokers.

            Example: doorward attach "Front door" --discovered ID --property "Quay 1"
            """)

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let found = try await output.client().devices.discovered().all()
        output.print(json: found.json) { Self.lines(found.content, table.style($0)) }
    }

    /// Returns a row for each lock; on a terminal also the command that attaches a lock.
    static func lines(_ found: [Doorward.DiscoveredDevice], _ style: OutputStyle) -> [String] {
        if found.isEmpty { return style.isInteractive ? ["Nothing was found that you could attach"] : [] }
        let table = Table(
            "NAME", "MAKE", "ADAPTER", "PROFILE", "STATE", "ID",
            fittings: [.cut(to: 8), .cut(to: 8), .whole, .cut(to: 8), .cut(to: 8), .id], rows: found.map(row))
        let hint = ["", "To attach one: doorward attach NAME --discovered ID --property PROPERTY"]
        return table.lines(style) + (style.isInteractive ? hint : [])
    }

    private static func row(_ lock: Doorward.DiscoveredDevice) -> [Table.Cell] {
        let make = [lock.manufacturer, lock.model].compactMap(\.self).joined(separator: " ")
        let profile: String? = if case .string(let profile) = lock.address["profile"] { profile } else { nil }
        return [
            Table.Cell(lock.name), Table.Cell(make), Table.Cell(lock.adapter), Table.Cell(profile), state(lock),
            Table.Cell(lock.id),
        ]
    }

    private static func state(_ lock: Doorward.DiscoveredDevice) -> Table.Cell {
        lock.problem.map { Table.Cell($0, .yellow) } ?? Table.Cell("ready", .green)
    }
}
