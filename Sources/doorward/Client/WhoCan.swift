import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward who-can`: lists everyone who may do something to a lock.
struct WhoCan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who-can",
        abstract: "List everyone who may do something to a lock, and by which right.",
        discussion: """
            You need to be able to read the lock's access log. Tenants see their co-tenants and guests by name, and others as staff. \
            LOCK is a name or id. OPERATION is one of \(OperationArgument.help).

            --at asks about a later time: the answer assumes that the rights stay as they are now. \(TimeArgument.help)

            Example: doorward who-can unlock "Front door"
            """)

    @Argument(help: ArgumentHelp("What they would do, such as unlock.", valueName: "operation"))
    var operation: OperationArgument

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time, now or later; up to a minute ago counts as now. (default: now)", valueName: "time"))
    var at: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let now = SystemClock().now()
        let instant = try at.map { try TimeArgument($0, option: "--at").instant(now: now) }
        let client = try gateway.client()
        let lock = try await NameResolver(client).lock(self.lock)
        let entries = try await namingOptions(Can.option) {
            try await client.authorization.whoCan(operation.operation.rawValue, on: lock.id, at: instant?.description).all()
        }
        output.print(json: entries.json) { style in
            guard !entries.content.isEmpty else {
                return style.isInteractive
                    ? ["Nobody may \(DecisionView.verb(operation.operation.rawValue)) \(lock.name.printable)."] : []
            }
            let style = table.style(style)
            return Self.table(entries.content, style, now: now).lines(style)
        }
    }

    static func table(_ entries: [Wire.PermittedPrincipal], _ style: OutputStyle, now: Timestamp) -> Table {
        let rows = entries.map { entry in
            [
                Table.Cell(entry.principal.name), Table.Cell(DisplayText.word(entry.principal.kind)),
                Table.Cell(entry.rule.role.map(DisplayText.role)),
                Table.Cell(
                    entry.until.map(style.instant),
                    short: entry.until.map { style.shortInstant($0, now: now, withSeconds: false) }),
                Table.Cell(entry.principal.id, .dim),
            ]
        }
        var table = Table("WHO", "KIND", "ROLE", "UNTIL", "ID", rows: rows)
        table.fittings = [.cut(to: 8), .whole, .cut(to: 8), .whole, .id]
        return table
    }
}
