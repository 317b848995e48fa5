import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward unit`: shows and changes units.
struct UnitGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "Show and change units.",
        discussion: """
            A unit is a flat, an office or another part of a property, with tenants and locks of its own. If units of several \
            properties have the same name, name one together with its property, as in "Quay 1 / 1A".
            """,
        subcommands: [UnitList.self, UnitShow.self, UnitCreate.self, UnitRename.self, UnitDelete.self])
}

/// `doorward unit list`: lists the visible units.
struct UnitList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the units that you may see.",
        discussion: "Example: doorward unit list --property \"Quay 1\"")

    @Option(help: ArgumentHelp("Only those of this property: a name or id.", valueName: "property"), completion: .propertyName)
    var property: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let finder = NameResolver(client)
        var propertyID: String?
        if let property { propertyID = try await finder.property(property) }
        let units = try await client.units.list([("propertyId", propertyID)]).all()
        let names = output.json || units.content.isEmpty ? [:] : try await finder.names(of: [.property])
        output.print(json: units.json) { Self.lines(units.content, properties: names, table.style($0)) }
    }

    /// - Parameter properties: the names of the properties, by id.
    static func lines(_ units: [Doorward.Unit], properties: [String: String], _ style: OutputStyle) -> [String] {
        if units.isEmpty { return style.isInteractive ? ["You see no units."] : [] }
        let rows = units.map { unit -> [Table.Cell] in
            [
                Table.Cell(unit.name), Table.Cell(unit.propertyId.map { properties[$0] ?? $0 }),
                Table.Cell(unit.tenantUserIds.map { "\($0.count)" }), Table.Cell(unit.deviceIds.map { "\($0.count)" }),
                Table.Cell(unit.id, .dim),
            ]
        }
        var table = Table("NAME", "PROPERTY", "TENANTS", "LOCKS", "ID", rows: rows)
        table.fittings = [.cut(to: 8), .cut(to: 8), .whole, .whole, .id]
        return table.lines(style)
    }
}

/// The unit that a command is about.
struct UnitArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The unit: a name, \"PROPERTY / UNIT\" or an id.", valueName: "unit"), completion: .unitName)
    var unit: String
}

/// `doorward unit show`: shows one unit.
struct UnitShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a unit.",
        discussion: """
            `doorward role list UNIT` lists its tenants, and `doorward locks --unit UNIT` its locks.

            Example: doorward unit show "Quay 1 / 1A"
            """)

    @OptionGroup var argument: UnitArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let finder = NameResolver(client)
        let answer = try await client.units.get(finder.unit(argument.unit).id)
        let names = output.json ? [:] : try await finder.names(of: [.property])
        output.print(json: answer.json) { Self.lines(answer.content, properties: names, $0) }
    }

    /// - Parameter properties: the names of the properties, by id.
    static func lines(_ unit: Doorward.Unit, properties: [String: String], _ style: OutputStyle) -> [String] {
        let facts: [[Table.Cell]] = [
            ["name", Table.Cell(unit.name, .bold)], ["property", Table.Cell(unit.propertyId.map { properties[$0] ?? $0 })],
            ["tenants", Table.Cell(unit.tenantUserIds.map { "\($0.count)" })],
            ["locks", Table.Cell(unit.deviceIds.map { "\($0.count)" })],
            ["common areas", Table.Cell(unit.commonAreaAccessIds.map { "\($0.count)" })],
            ["created", Table.Cell(unit.createdAt.map(style.instant))],
            ["changed", Table.Cell(unit.updatedAt.map(style.instant))], ["id", Table.Cell(unit.id)],
        ]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
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

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let new = ["name": name, "propertyId": try await NameResolver(client).property(property)]
        let answer = try await namingOptions(option) { try await client.units.create(new) }
        output.printCreated(answer.json, "unit", name: answer.content.name, id: answer.content.id)
    }

    /// Maps a field of the request to its command-line option.
    private func option(_ field: String) -> FieldOption? {
        field == "name" ? FieldOption("the name") : field == "propertyId" ? FieldOption("--property", value: property) : nil
    }
}

/// `doorward unit rename`: changes the name of a unit.
struct UnitRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a unit.", discussion: "Example: doorward unit rename \"Quay 1 / 1A\" 1B")

    @OptionGroup var argument: UnitArgument

    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let found = try await NameResolver(client).unit(argument.unit)
        let answer = try await namingOptions(FieldOption.newName) { try await client.units.change(found.id, ["name": name]) }
        output.printRenamed(answer.json, found.name, to: answer.content.name, id: answer.content.id)
    }
}

/// `doorward unit delete`: deletes a unit.
struct UnitDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a unit.",
        discussion: """
            Shows what would be deleted, and asks for confirmation. A unit that has locks is deleted only with --cascade. Its records stay in the log. \
            Without a terminal it deletes only with --yes.

            Example: doorward unit delete "Quay 1 / 1A"
            """)

    @OptionGroup var argument: UnitArgument
    @OptionGroup var cascade: CascadeOptions
    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try deletion.requireConfirmable()
        let client = try gateway.client()
        let found = try await NameResolver(client).unit(argument.unit)
        try await deletion.run(
            client.units.deletion(of: found.id), name: found.name, "unit \(found.name)", isCascading: cascade.cascade)
    }
}
