import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward property`: shows and changes properties.
struct PropertyGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "property",
        abstract: "Show and change properties.",
        discussion: "A property is a building or a site of a portfolio. It contains units, and locks that belong to no unit.",
        subcommands: [PropertyList.self, PropertyShow.self, PropertyCreate.self, PropertyRename.self, PropertyDelete.self])
}

/// `doorward property list`: lists the visible properties.
struct PropertyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the properties that you may see.",
        discussion: "Example: doorward property list --portfolio \"Harbour Homes\"")

    @Option(
        help: ArgumentHelp("Only those of this portfolio: a name or id.", valueName: "portfolio"), completion: .portfolioName)
    var portfolio: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let finder = NameResolver(client)
        var portfolioID: String?
        if let portfolio { portfolioID = try await finder.portfolio(portfolio).id }
        let properties = try await client.properties.list([("portfolioId", portfolioID)]).all()
        let isNaming = !output.json && properties.content.contains { $0.portfolioId != nil }
        let names = isNaming ? try await finder.names(of: [.portfolio]) : [:]
        output.print(json: properties.json) { Self.lines(properties.content, portfolios: names, table.style($0)) }
    }

    /// - Parameter portfolios: the names of the portfolios, by id.
    static func lines(_ properties: [Doorward.Property], portfolios: [String: String], _ style: OutputStyle) -> [String] {
        if properties.isEmpty { return style.isInteractive ? ["You see no properties."] : [] }
        let rows = properties.map { property -> [Table.Cell] in
            [
                Table.Cell(property.name), Table.Cell(property.portfolioId.map { portfolios[$0] ?? $0 }),
                Table.Cell(property.unitIds.map { "\($0.count)" }), Table.Cell(property.defaultTimeZone), lockdown(property),
                Table.Cell(property.id, .dim),
            ]
        }
        var table = Table("NAME", "PORTFOLIO", "UNITS", "TIME ZONE", "LOCKDOWN", "ID", rows: rows)
        table.fittings = [.cut(to: 8), .cut(to: 8), .whole, .optional, .whole, .id]
        return table.lines(style)
    }

    static func lockdown(_ property: Doorward.Property) -> Table.Cell {
        guard let lockdown = property.lockdown else { return Table.Cell(nil) }
        return lockdown.active ? Table.Cell("active", .red) : Table.Cell("off")
    }
}

/// The property that a command is about.
struct PropertyArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The property: a name or id.", valueName: "property"), completion: .propertyName)
    var property: String
}

/// `doorward property show`: shows one property.
struct PropertyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a property.",
        discussion: """
            `doorward role list PROPERTY` lists its managers, `doorward unit list --property PROPERTY` its units, and `doorward \
            locks --property PROPERTY` its locks.

            Example: doorward property show "Quay 1"
            """)

    @OptionGroup var argument: PropertyArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let finder = NameResolver(client)
        let answer = try await client.properties.get(finder.entity(argument.property, of: [.property]).id)
        let property = answer.content
        let isNaming = !output.json && property.portfolioId != nil
        let names = isNaming ? try await finder.names(of: [.portfolio]) : [:]
        output.print(json: answer.json) { Self.lines(property, portfolios: names, $0) }
    }

    /// - Parameter portfolios: the names of the portfolios, by id.
    static func lines(_ property: Doorward.Property, portfolios: [String: String], _ style: OutputStyle) -> [String] {
        let facts: [[Table.Cell]] = [
            ["name", Table.Cell(property.name, .bold)],
            ["portfolio", Table.Cell(property.portfolioId.map { portfolios[$0] ?? $0 })],
            ["address", Table.Cell(address(property.address))], ["time zone", Table.Cell(property.defaultTimeZone)],
            ["units", Table.Cell(property.unitIds.map { "\($0.count)" })],
            ["managers", Table.Cell(property.managerUserIds.map { "\($0.count)" })],
            ["lockdown", PropertyList.lockdown(property)],
        ]
        let since = property.lockdown.flatMap { lockdown -> [[Table.Cell]]? in
            guard lockdown.active else { return nil }
            return [
                ["in lockdown since", Table.Cell(lockdown.since.map(style.instant))],
                ["lockdown reason", Table.Cell(lockdown.reason)],
            ]
        }
        let dates: [[Table.Cell]] = [
            ["created", Table.Cell(property.createdAt.map(style.instant))],
            ["changed", Table.Cell(property.updatedAt.map(style.instant))], ["id", Table.Cell(property.id)],
        ]
        return Table("", "", rows: facts + (since ?? []) + dates).lines(style, withHeadings: false)
    }

    private static func address(_ address: Doorward.Property.PostalAddress?) -> String? {
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

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let portfolioID = try await NameResolver(client).portfolio(portfolio).id
        let new = ["name": name, "portfolioId": portfolioID, "defaultTimeZone": timeZone].compactMapValues(\.self)
        let answer = try await namingOptions(option) { try await client.properties.create(new) }
        let property = answer.content
        output.printCreated(answer.json, "property", name: property.name, id: property.id)
    }

    /// Maps a field of the request to its command-line option.
    private func option(_ field: String) -> FieldOption? {
        switch field {
        case "name": FieldOption("the name")
        case "portfolioId": FieldOption("--portfolio", value: portfolio)
        case "defaultTimeZone": FieldOption("--time-zone", value: timeZone)
        default: nil
        }
    }
}

/// `doorward property rename`: changes the name of a property.
struct PropertyRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a property.",
        discussion: "Example: doorward property rename \"Quay 1\" \"Quay 1, north\"")

    @OptionGroup var argument: PropertyArgument

    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let found = try await NameResolver(client).entity(argument.property, of: [.property])
        let answer = try await namingOptions(FieldOption.newName) { try await client.properties.change(found.id, ["name": name]) }
        let property = answer.content
        output.printRenamed(answer.json, found.name, to: property.name, id: property.id)
    }
}

/// `doorward property delete`: deletes a property.
struct PropertyDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a property.",
        discussion: """
            Shows what would be deleted, and asks for confirmation. A property that contains units or locks is deleted only with --cascade. Its records \
            stay in the log. Without a terminal it deletes only with --yes.

            Example: doorward property delete "Quay 1" --cascade
            """)

    @OptionGroup var argument: PropertyArgument
    @OptionGroup var cascade: CascadeOptions
    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try deletion.requireConfirmable()
        let client = try gateway.client()
        let found = try await NameResolver(client).entity(argument.property, of: [.property])
        try await deletion.run(
            client.properties.deletion(of: found.id), name: found.name, "property \(found.name)", isCascading: cascade.cascade)
    }
}
