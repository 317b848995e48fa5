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
        let rows = adapters.flatMap { adapter -> [[Table.Cell]] in
            let own = [
                Table.Cell(adapter.kind, .bold), Table.Cell(nil), health(adapter.health), Table.Cell("\(adapter.deviceCount)"),
                Table.Cell("\(adapter.onlineCount)"), Table.Cell(adapter.problem, .yellow),
            ]
            return [own]
                + adapter.transports.map { transport in
                    [
                        Table.Cell(adapter.kind), Table.Cell(transport.name), health(transport.health), Table.Cell(nil),
                        Table.Cell(nil), Table.Cell(transport.problem, .yellow),
                    ]
                }
        }
        let table = Table(
            "ADAPTER", "BROKER", "HEALTH", "LOCKS", "ONLINE", "PROBLEM",
            fittings: [.whole, .cut(to: 8), .whole, .whole, .whole, .cut(to: 20)], rows: rows)
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
        let rows = adapter.address.map { key in
            [
                Table.Cell(key.field, .bold), Table.Cell(type(of: key)), Table.Cell(key.required ? "yes" : "no"),
                Table.Cell(key.default.map(text)), Table.Cell(key.meaning),
            ]
        }
        return Table("KEY", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION", rows: rows).lines(style)
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
