import ArgumentParser
import DoorwardAdapterKit
import DoorwardClient
import DoorwardDomain

/// `doorward adapters`: lists the gateway's adapters and their health.
struct Adapters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the gateway's adapters, their brokers and their health.",
        discussion: """
            Shows the health of each adapter, the number of its locks and of those online, and below it each of its brokers. \
            With the name of an adapter it shows instead the address keys for `doorward attach --address`. A super admin sees \
            all brokers and locks; owners, admins and managers see the brokers of their portfolio and their own locks.

            Example: doorward adapters \(ShippedAdapters.kinds.last ?? "")
            """)

    @Argument(
        help: ArgumentHelp("Show the address keys of this adapter.", valueName: "adapter"),
        completion: .list(ShippedAdapters.kinds))
    var adapter: String?

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let answer = try await output.client().adapters()
        let adapters = answer.content
        guard let adapter else { return output.print(json: answer.json) { Self.lines(adapters, $0) } }
        guard let found = adapters.first(where: { $0.kind == adapter }) else {
            let kinds = adapters.map(\.kind)
            let hint = nearestName(to: adapter, among: kinds).map { "; did you mean `\($0.printable)`?" } ?? ""
            throw CommandFailure(
                "There is no adapter named `\(adapter.printable)`\(hint)\n  the gateway has: \(kinds.joined(separator: ", ").printable)"
            )
        }
        output.print(json: answer.json) { Self.keyLines(found, $0) }
    }

    /// Returns a row for each adapter, followed by a row for each of its brokers.
    static func lines(_ adapters: [Doorward.Adapter], _ style: OutputStyle) -> [String] {
        let rows = adapters.flatMap { adapter in
            [(adapter: adapter, broker: Doorward.Adapter.Transport?.none)] + adapter.transports.map { (adapter, $0) }
        }
        let table = Table(
            rows,
            [
                Column("ADAPTER") { Table.Cell($0.adapter.kind, $0.broker == nil ? .bold : nil) },
                Column("BROKER", .cut(to: 8)) { Table.Cell($0.broker?.name) },
                Column("HEALTH") { health($0.broker?.health ?? $0.adapter.health) },
                Column("LOCKS") { Table.Cell($0.broker == nil ? "\($0.adapter.deviceCount)" : nil) },
                Column("ONLINE") { Table.Cell($0.broker == nil ? "\($0.adapter.onlineCount)" : nil) },
                Column("PROBLEM", .cut(to: 20)) {
                    Table.Cell($0.broker == nil ? $0.adapter.problem : $0.broker?.problem, .yellow)
                },
            ])
        let lines = table.lines(style)
        return style.isInteractive ? lines + ["", "To see the address keys of an adapter: doorward adapters ADAPTER"] : lines
    }

    private static func health(_ word: String) -> Table.Cell {
        Table.Cell(word, word == "ok" ? .green : word == "down" ? .red : .yellow)
    }

    /// Returns the keys of an address: a row for each in a pipe, and a paragraph for each on a terminal, as their descriptions are
    /// too long for a column.
    static func keyLines(_ adapter: Doorward.Adapter, _ style: OutputStyle) -> [String] {
        if style.isInteractive { return adapter.address.flatMap { paragraph($0, style) } }
        let columns: [Column<Doorward.Adapter.AddressField>] = [
            Column("KEY") { Table.Cell($0.field, .bold) }, Column("TYPE") { Table.Cell(type(of: $0)) },
            Column("REQUIRED") { Table.Cell($0.required ? "yes" : "no") },
            Column("DEFAULT") { Table.Cell($0.default.map(text)) }, Column("DESCRIPTION") { Table.Cell($0.meaning) },
        ]
        return Table(adapter.address, columns).lines(style)
    }

    private static func paragraph(_ key: Doorward.Adapter.AddressField, _ style: OutputStyle) -> [String] {
        let type = key.values.map { "one of \($0.joined(separator: ", "))" } ?? type(of: key)
        let need = key.required ? "; required" : key.default.map { "; default \(text($0))" } ?? ""
        let room = (style.columns ?? .max) - 2
        let lines = (type + need).printable.wrapped(to: room) + key.meaning.printable.wrapped(to: room)
        return [style.paint(key.field.printable, .bold)] + lines.map { "  \($0)" }
    }

    private static func type(of key: Doorward.Adapter.AddressField) -> String {
        if let values = key.values { return values.joined(separator: "|") }
        switch (key.minimum, key.maximum) {
        case (let low?, let high?): return "\(key.type) \(text(low))…\(text(high))"
        case (let low?, nil): return "\(key.type) from \(text(low))"
        case (nil, let high?): return "\(key.type) to \(text(high))"
        case (nil, nil): return key.type
        }
    }

    private static func text(_ value: Doorward.JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .null: "none"
        case .array(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
        }
    }
}

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
