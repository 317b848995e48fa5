import ArgumentParser
import DoorwardClient

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
            PortfolioList.self, PortfolioShow.self, PortfolioCreate.self, PortfolioRename.self, PortfolioDelete.self,
        ])
}

/// `doorward portfolio list`: lists the visible portfolios.
struct PortfolioList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the portfolios that you may see.",
        discussion: "Example: doorward portfolio list")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let portfolios = try await gateway.client().portfolios.list().all()
        output.print(json: portfolios.json) { Self.lines(portfolios.content, table.style($0)) }
    }

    static func lines(_ portfolios: [Doorward.Portfolio], _ style: OutputStyle) -> [String] {
        if portfolios.isEmpty { return style.isInteractive ? ["You see no portfolios."] : [] }
        let rows = portfolios.map { portfolio -> [Table.Cell] in
            [
                Table.Cell(portfolio.name), Table.Cell(portfolio.propertyIds.map { "\($0.count)" }),
                Table.Cell(portfolio.administratorUserIds.map { "\($0.count)" }),
                Table.Cell(portfolio.createdAt.map(style.instant)), Table.Cell(portfolio.id, .dim),
            ]
        }
        var table = Table("NAME", "PROPERTIES", "ADMINS", "CREATED", "ID", rows: rows)
        table.fittings = [.cut(to: 8), .whole, .whole, .optional, .id]
        return table.lines(style)
    }
}

/// The portfolio that a command is about.
struct PortfolioArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The portfolio: a name or id.", valueName: "portfolio"), completion: .portfolioName)
    var portfolio: String
}

/// `doorward portfolio show`: shows one portfolio.
struct PortfolioShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a portfolio.",
        discussion: """
            `doorward role list PORTFOLIO` lists its owners and admins, `doorward property list --portfolio PORTFOLIO` its \
            properties.

            Example: doorward portfolio show "Harbour Homes"
            """)

    @OptionGroup var argument: PortfolioArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let found = try await NameResolver(client).portfolio(argument.portfolio)
        let answer = try await client.portfolios.get(found.id)
        output.print(json: answer.json) { Self.lines(answer.content, $0) }
    }

    static func lines(_ portfolio: Doorward.Portfolio, _ style: OutputStyle) -> [String] {
        let facts: [[Table.Cell]] = [
            ["name", Table.Cell(portfolio.name, .bold)],
            ["properties", Table.Cell(portfolio.propertyIds.map { "\($0.count)" })],
            ["admins", Table.Cell(portfolio.administratorUserIds.map { "\($0.count)" })],
            ["created", Table.Cell(portfolio.createdAt.map(style.instant))],
            ["changed", Table.Cell(portfolio.updatedAt.map(style.instant))], ["id", Table.Cell(portfolio.id)],
        ]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
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

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        var owners: [String] = []
        for person in owner { owners.append(try await NameResolver(client).person(person)) }
        let new = Doorward.JSONValue.object([
            "name": .string(name), "administratorUserIds": .array(owners.map { .string($0) }),
        ])
        let answer = try await namingOptions(Self.option) { try await client.portfolios.create(new) }
        let portfolio = answer.content
        output.printCreated(answer.json, "portfolio", name: portfolio.name, id: portfolio.id)
    }

    private static func option(_ field: String) -> FieldOption? {
        field == "name" ? FieldOption("the name") : field.hasPrefix("administratorUserIds") ? FieldOption("--owner") : nil
    }
}

/// `doorward portfolio rename`: changes the name of a portfolio.
struct PortfolioRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a portfolio.",
        discussion: "Example: doorward portfolio rename \"Harbour Homes\" \"Harbour Living\"")

    @OptionGroup var argument: PortfolioArgument

    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let found = try await NameResolver(client).portfolio(argument.portfolio)
        let answer = try await namingOptions(FieldOption.newName) { try await client.portfolios.change(found.id, ["name": name]) }
        let portfolio = answer.content
        output.printRenamed(answer.json, found.name, to: portfolio.name, id: portfolio.id)
    }
}

/// `doorward portfolio delete`: deletes a portfolio.
struct PortfolioDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a portfolio.",
        discussion: """
            Shows what would be deleted, and asks for confirmation. A portfolio that contains properties is deleted only with --cascade. Its log is kept. \
            Without a terminal it deletes only with --yes.

            Example: doorward portfolio delete "Harbour Homes" --cascade
            """)

    @OptionGroup var argument: PortfolioArgument
    @OptionGroup var cascade: CascadeOptions
    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try deletion.requireConfirmable()
        let client = try gateway.client()
        let found = try await NameResolver(client).portfolio(argument.portfolio)
        try await deletion.run(
            client.portfolios.deletion(of: found.id), name: found.name, "portfolio \(found.name)", isCascading: cascade.cascade)
    }
}
