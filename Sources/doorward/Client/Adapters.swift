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
