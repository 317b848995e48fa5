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
        let table = Table(
            found,
            [
                Column("NAME", .cut(to: 8)) { Table.Cell($0.name) },
                Column("MAKE", .cut(to: 8)) {
                    Table.Cell([$0.manufacturer, $0.model].compactMap(\.self).joined(separator: " "))
                },
                Column("ADAPTER") { Table.Cell($0.adapter) },
                Column("PROFILE", .cut(to: 8)) {
                    if case .string(let profile)? = $0.address["profile"] { Table.Cell(profile) } else { Table.Cell(nil) }
                },
                Column("STATE", .cut(to: 8)) { $0.problem.map { Table.Cell($0, .yellow) } ?? Table.Cell("ready", .green) },
                Column("ID", .id) { Table.Cell($0.id) },
            ])
        let hint = ["", "To attach one: doorward attach NAME --discovered ID --property PROPERTY"]
        return table.lines(style, empty: "Nothing was found that you could attach")
            + (style.isInteractive && !found.isEmpty ? hint : [])
    }
}
