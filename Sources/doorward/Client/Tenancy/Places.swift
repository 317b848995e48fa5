import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// A portfolio, property or unit.
protocol Place: ListedByCommand {
    static var kind: AssociatedEntityType { get }
    var name: String { get }
}

extension Place {
    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch {
        let found = try await finder.entity(text, of: [kind])
        return NameMatch(id: found.id, name: found.name)
    }
}

/// `doorward portfolio`: shows and changes portfolios.
struct PortfolioGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portfolio",
        abstract: "Show and change portfolios.",
        discussion: """
            A portfolio contains the properties of one owner or company. Super admins create portfolios; owners rename and delete \
            their own.
            """,
        subcommands: [
            NounList<Doorward.Portfolio, NoOptions>.self, NounShow<Doorward.Portfolio>.self, PortfolioCreate.self,
            PlaceRename<Doorward.Portfolio>.self, NounDelete<Doorward.Portfolio, CascadeOptions>.self,
        ])
}

extension Doorward.Portfolio: Place {
    static let kind = AssociatedEntityType.portfolio

    static var argument: ArgumentWords { (ArgumentHelp("The portfolio: a name or id.", valueName: "portfolio"), .portfolioName) }

    static var commands: NounCommands<Self> {
        NounCommands(
            noun: "portfolio", empty: "You see no portfolios.", list: "List the portfolios that you may see.",
            discussions: [
                "list": "Example: doorward portfolio list",
                "show": """
                `doorward role list PORTFOLIO` lists its owners and admins, `doorward property list --portfolio PORTFOLIO` its \
                properties.

                Example: doorward portfolio show "Harbour Homes"
                """,
                "rename": "Example: doorward portfolio rename \"Harbour Homes\" \"Harbour Living\"",
                "delete": """
                Shows what would be deleted, and asks for confirmation. A portfolio that contains properties is deleted only \
                with --cascade. Its log is kept. Without a terminal it deletes only with --yes.

                Example: doorward portfolio delete "Harbour Homes" --cascade
                """,
            ],
            columns: [
                ("NAME", .cut(to: 8), .text(\.name)), ("PROPERTIES", .whole, .count(\.propertyIds)),
                ("ADMINS", .whole, .count(\.administratorUserIds)), ("CREATED", .optional, .time(\.createdAt)),
            ],
            facts: [
                ("name", .text(\.name, .bold)), ("properties", .count(\.propertyIds)),
                ("admins", .count(\.administratorUserIds)), ("created", .time(\.createdAt)), ("changed", .time(\.updatedAt)),
            ])
    }
}

/// `doorward portfolio create`: creates a portfolio.
struct PortfolioCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a portfolio. Only super admins may do this.",
        discussion: """
            The people given with --owner become its owners. To invite an owner who has no account yet: `doorward invite EMAIL \
            owner PORTFOLIO`.

            Example: doorward portfolio create "Harbour Homes" --owner olga@example.org
            """)

    @Argument(help: ArgumentHelp("The name of the portfolio.", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp("An owner: an email address, an id or a name; the option can be repeated.", valueName: "user"),
        completion: .userName)
    var owner: [String] = []

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        var owners: [String] = []
        for person in owner { owners.append(try await NameResolver(client).person(person).id) }
        let new = Doorward.JSONValue.object(["name": .string(name), "administratorUserIds": .array(owners.map { .string($0) })])
        let answer = try await namingOptions(["name": "the name", "administratorUserIds": "--owner"]) {
            try await client.portfolios.create(new)
        }
        let portfolio = answer.content
        output.printCreated(answer.json, "portfolio", name: portfolio.name, id: portfolio.id)
    }
}

/// `doorward property`: shows and changes properties.
struct PropertyGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "property",
        abstract: "Show and change properties.",
        discussion: "A property is a building or a site of a portfolio. It contains units, and locks that belong to no unit.",
        subcommands: [
            NounList<Doorward.Property, ContainerFilter<Doorward.Portfolio>>.self, NounShow<Doorward.Property>.self,
            PropertyCreate.self, PlaceRename<Doorward.Property>.self, NounDelete<Doorward.Property, CascadeOptions>.self,
        ])
}

extension Doorward.Property: Place {
    static let kind = AssociatedEntityType.property

    static var argument: ArgumentWords { (ArgumentHelp("The property: a name or id.", valueName: "property"), .propertyName) }

    static var commands: NounCommands<Self> {
        NounCommands(
            noun: "property", empty: "You see no properties.", list: "List the properties that you may see.",
            discussions: [
                "list": "Example: doorward property list --portfolio \"Harbour Homes\"",
                "show": """
                `doorward role list PROPERTY` lists its managers, `doorward unit list --property PROPERTY` its units, and \
                `doorward locks --property PROPERTY` its locks.

                Example: doorward property show "Quay 1"
                """,
                "rename": "Example: doorward property rename \"Quay 1\" \"Quay 1, north\"",
                "delete": """
                Shows what would be deleted, and asks for confirmation. A property that contains units or locks is deleted only \
                with --cascade. Its records stay in the log. Without a terminal it deletes only with --yes.

                Example: doorward property delete "Quay 1" --cascade
                """,
            ],
            columns: [
                ("NAME", .cut(to: 8), .text(\.name)), ("PORTFOLIO", .cut(to: 8), .entity(\.portfolioId)),
                ("UNITS", .whole, .count(\.unitIds)), ("TIME ZONE", .optional, .text(\.defaultTimeZone)),
                ("LOCKDOWN", .whole, .cell(\.lockdownCell)),
            ],
            facts: [
                ("name", .text(\.name, .bold)), ("portfolio", .entity(\.portfolioId)), ("address", .text(\.addressLine)),
                ("time zone", .text(\.defaultTimeZone)), ("units", .count(\.unitIds)), ("managers", .count(\.managerUserIds)),
                ("lockdown", .cell(\.lockdownCell)),
                ("in lockdown since", ofLockdown { lockdown, style in Table.Cell(lockdown.since.map(style.instant)) }),
                ("lockdown reason", ofLockdown { lockdown, _ in Table.Cell(lockdown.reason) }),
                ("created", .time(\.createdAt)), ("changed", .time(\.updatedAt)),
            ], kinds: { $0.portfolioId == nil ? [] : [.portfolio] })
    }

    /// A line that only a property in lockdown has.
    private static func ofLockdown(_ cell: @escaping (Lockdown, OutputStyle) -> Table.Cell) -> NounValue<Self> {
        NounValue { property, _, style in property.lockdown.flatMap { $0.active ? cell($0, style) : nil } }
    }

    private var lockdownCell: Table.Cell {
        guard let lockdown else { return Table.Cell(nil) }
        return lockdown.active ? Table.Cell("active", .red) : Table.Cell("off")
    }

    private var addressLine: String? {
        guard let address else { return nil }
        let city = [address.postalCode, address.city].compactMap(\.self).joined(separator: " ")
        return [address.street, city, address.state, address.country].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
            .joined(separator: ", ")
    }
}

/// `doorward property create`: creates a property in a portfolio.
struct PropertyCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a property in a portfolio.",
        discussion: """
            Guest accesses with recurring hours use the time zone of their property.

            Example: doorward property create "Quay 1" --portfolio "Harbour Homes" --time-zone Europe/Berlin
            """)

    @Argument(help: ArgumentHelp("The name of the property.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The portfolio: a name or id.", valueName: "portfolio"), completion: .portfolioName)
    var portfolio: String

    @Option(help: ArgumentHelp("The time zone of the property, as in Europe/Berlin.", valueName: "zone"))
    var timeZone: String?

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let portfolioID = try await NameResolver(client).entity(portfolio, of: [.portfolio]).id
        let new = ["name": name, "portfolioId": portfolioID, "defaultTimeZone": timeZone].compactMapValues(\.self)
        let options: [String: FieldOption] = [
            "name": "the name", "portfolioId": FieldOption("--portfolio", value: portfolio),
            "defaultTimeZone": FieldOption("--time-zone", value: timeZone),
        ]
        let answer = try await namingOptions(options) { try await client.properties.create(new) }
        let property = answer.content
        output.printCreated(answer.json, "property", name: property.name, id: property.id)
    }
}

/// `doorward unit`: shows and changes units.
struct UnitGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "Show and change units.",
        discussion: """
            A unit is a flat, an office or another part of a property, with tenants and locks of its own. If units of several \
            properties have the same name, name one together with its property, as in "Quay 1 / 1A".
            """,
        subcommands: [
            NounList<Doorward.Unit, ContainerFilter<Doorward.Property>>.self, NounShow<Doorward.Unit>.self, UnitCreate.self,
            PlaceRename<Doorward.Unit>.self, NounDelete<Doorward.Unit, CascadeOptions>.self,
        ])
}

extension Doorward.Unit: Place {
    static let kind = AssociatedEntityType.unit

    static var argument: ArgumentWords {
        (ArgumentHelp("The unit: a name, \"PROPERTY / UNIT\" or an id.", valueName: "unit"), .unitName)
    }

    static var commands: NounCommands<Self> {
        NounCommands(
            noun: "unit",
            empty: "You see no units.", list: "List the units that you may see.",
            discussions: [
                "list": "Example: doorward unit list --property \"Quay 1\"",
                "show": """
                `doorward role list UNIT` lists its tenants, and `doorward locks --unit UNIT` its locks.

                Example: doorward unit show "Quay 1 / 1A"
                """,
                "rename": "Example: doorward unit rename \"Quay 1 / 1A\" 1B",
                "delete": """
                Shows what would be deleted, and asks for confirmation. A unit that has locks is deleted only with --cascade. \
                Its records stay in the log. Without a terminal it deletes only with --yes.

                Example: doorward unit delete "Quay 1 / 1A"
                """,
            ],
            columns: [
                ("NAME", .cut(to: 8), .text(\.name)), ("PROPERTY", .cut(to: 8), .entity(\.propertyId)),
                ("TENANTS", .whole, .count(\.tenantUserIds)), ("LOCKS", .whole, .count(\.deviceIds)),
            ],
            facts: [
                ("name", .text(\.name, .bold)), ("property", .entity(\.propertyId)), ("tenants", .count(\.tenantUserIds)),
                ("locks", .count(\.deviceIds)), ("common areas", .count(\.commonAreaAccessIds)),
                ("created", .time(\.createdAt)), ("changed", .time(\.updatedAt)),
            ], kinds: { _ in [.property] })
    }
}

/// `doorward unit create`: creates a unit in a property.
struct UnitCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a unit in a property.",
        discussion: "Example: doorward unit create 1A --property \"Quay 1\"")

    @Argument(help: ArgumentHelp("The name of the unit.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The property: a name or id.", valueName: "property"), completion: .propertyName)
    var property: String

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let new = ["name": name, "propertyId": try await NameResolver(client).property(property)]
        let answer = try await namingOptions([
            "name": "the name", "propertyId": FieldOption("--property", value: property),
        ]) { try await client.units.create(new) }
        output.printCreated(answer.json, "unit", name: answer.content.name, id: answer.content.id)
    }
}

/// `doorward lockdown`: starts the lockdown of a property.
struct LockdownCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockdown",
        abstract: "Lock all locks of a property, and keep them from being opened through the gateway.",
        discussion: """
            Does not ask. The lockdown is in force before the locks move: from then on nobody opens a lock of the property through \
            the gateway, except owners and portfolio admins with `doorward unlock --override`. It stays in force, also after a \
            restart of the gateway, until `doorward lift`. People inside can leave as always: a lockdown has no effect on what can be done \
            at the lock itself.

            Prints the outcome for each lock. If not every lock has confirmed, the exit code is 1; the lockdown is in force \
            nevertheless. If you run the command again, it locks the locks that are not locked yet.

            Example: doorward lockdown "Quay 1" --reason "fire alarm in the next building"
            """)

    @OptionGroup var argument: NounArgument<Doorward.Property>

    @Option(help: ArgumentHelp("Why, for the log.", valueName: "reason"))
    var reason: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await Progress("Locking down \(found.name)").during {
            try await namingOptions(["reason": "--reason"]) {
                try await client.properties.startLockdown(of: found.id, reason: reason)
            }
        }
        // The names are only for display: the lockdown has started, whether or not they can be read.
        let locks = output.json ? nil : try? await client.devices.list([("propertyId", found.id)]).all().content
        let names = Dictionary((locks ?? []).map { ($0.id, $0.name) }) { first, _ in first }
        output.print(json: answer.json) { answer.content.lines(names: names, table.style($0)) }
        if let problem = answer.content.problem { throw CommandFailure(problem) }
    }
}

extension Doorward.LockdownStart {
    /// Returns a row for each lock; on a terminal first a sentence.
    ///
    /// - Parameter names: the names of the locks, by id.
    func lines(names: [String: String], _ style: OutputStyle) -> [String] {
        let name = property.name.printable
        let sentence =
            style.isInteractive ? ["\(name) is in lockdown. To end it: doorward lift \(property.id.printable)"] : []
        let table = Table(
            results,
            [
                Column("LOCK", .cut(to: 8)) { Table.Cell(names[$0.deviceId] ?? $0.deviceId) },
                Column("OUTCOME", .cut(to: 10), Self.outcome), Column("ID", .id) { Table.Cell($0.deviceId, .dim) },
            ])
        return sentence + table.lines(style, empty: "It has no locks.")
    }

    /// The message if not all locks have confirmed that they are locked; `nil` if they have.
    var problem: String? {
        let open = results.count { !Self.isLocked($0) }
        guard open > 0 else { return nil }
        let (name, all) = (property.name.printable, DisplayText.count(results.count, "lock"))
        return "\(name) is in lockdown, but \(open) of \(all) \(open == 1 ? "is" : "are") not confirmed as locked: "
            + "check \(open == 1 ? "it" : "them")"
    }

    private static func isLocked(_ result: Result) -> Bool { result.command?.state == .confirmed }

    private static func outcome(_ result: Result) -> Table.Cell {
        if isLocked(result) { return Table.Cell("locked", .green) }
        if let reason = result.decision?.reason { return Table.Cell("denied: \(DisplayText.reason(reason))", .red) }
        guard let command = result.command else { return Table.Cell("not started yet", .yellow) }
        let detail = command.outcomeDetail.map { ": \(DisplayText.word($0))" } ?? ""
        return Table.Cell((command.state.map(DisplayText.word) ?? "unknown") + detail, .red)
    }
}

/// `doorward lift`: ends the lockdown of a property.
struct LiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lift",
        abstract: "End the lockdown of a property. No lock moves.",
        discussion: "Example: doorward lift \"Quay 1\"")

    @OptionGroup var argument: NounArgument<Doorward.Property>
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await client.properties.liftLockdown(of: found.id)
        let name = answer.content.name
        output.print(
            json: answer.json, sentence: "The lockdown of \(name.printable) has ended. No lock has moved.", values: name, "lifted"
        )
    }
}
