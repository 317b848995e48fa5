import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward key`: shows and changes API keys.
struct KeyGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Show and change API keys, with which programs sign in.",
        discussion: """
            A key has a role on one portfolio, property or unit, and never more rights than the person who created it has at \
            that moment. It ends with that person's account.
            """,
        subcommands: [KeyList.self, KeyCreate.self, KeyDelete.self])
}

/// `doorward key list`: lists API keys.
struct KeyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the API keys that you may manage.", discussion: "Example: doorward key list")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let keys = try await client.apiKeys.list().all()
        let kinds = output.json ? [] : keys.content.compactMap { AssociatedEntityType(rawValue: $0.entityType.rawValue) }
        let names = try await NameResolver(client).names(of: kinds)
        output.print(json: keys.json) { Self.lines(keys.content, places: names, table.style($0)) }
    }

    /// - Parameter places: the names of portfolios, properties and units, by id.
    static func lines(_ keys: [Doorward.APIKey], places: [String: String], _ style: OutputStyle) -> [String] {
        if keys.isEmpty { return style.isInteractive ? ["There are no API keys that you may manage."] : [] }
        let rows = keys.map { key -> [Table.Cell] in
            [
                Table.Cell(key.name), Table.Cell(DisplayText.role(key.role)),
                Table.Cell(places[key.entityId] ?? key.entityId), Table.Cell(style.instant(key.expiresAt)),
                Table.Cell(key.id, .dim),
            ]
        }
        var table = Table("NAME", "ROLE", "ON", "EXPIRES", "ID", rows: rows)
        table.fittings = [.cut(to: 8), .whole, .cut(to: 8), .whole, .id]
        return table.lines(style)
    }
}

/// `doorward key create`: creates an API key.
struct KeyCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an API key, and print its secret once.",
        discussion: """
            A program sends the secret as `Authorization: Bearer SECRET`; `doorward login --api-key-stdin` and the variable \
            DOORWARD_TOKEN take it too. Choose the smallest role that suffices. A key is valid for a year at most.

            \(RoleArgument.help)

            \(TimeArgument.help)

            Example: doorward key create "door display" auditor "Quay 1" --expires +30d
            """)

    @Argument(help: ArgumentHelp("The name of the key, for example the program that uses it.", valueName: "name"))
    var name: String

    @Argument(
        help: ArgumentHelp("The role: \(RoleArgument.names.joined(separator: ", ")).", valueName: "role"),
        completion: .list(RoleArgument.names), transform: RoleArgument.init)
    var role: RoleArgument

    @OptionGroup var argument: EntityArgument

    @Option(help: ArgumentHelp("When the key expires.", valueName: "time"))
    var expires = "+90d"

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let expiry = try TimeArgument(expires, option: "--expires").instant(now: SystemClock().now())
        let client = try gateway.client()
        let entity = try await NameResolver(client).entity(argument.entity, of: role.kinds)
        let new = [
            "name": name, "entityType": entity.kind.rawValue, "entityId": entity.id, "role": role.word,
            "expiresAt": expiry.description,
        ]
        let answer = try await namingOptions(Self.option) { try await client.apiKeys.issue(new) }
        output.print(json: answer.json) { Self.lines(answer.content, entity: entity.name, $0) }
    }

    private static func option(_ field: String) -> FieldOption? {
        field == "name" ? FieldOption("the name") : field == "expiresAt" ? FieldOption("--expires") : nil
    }

    /// Returns the lines to print: on a terminal sentences and the secret; in a pipe the name, the id and the secret.
    static func lines(_ answer: Doorward.IssuedAPIKey, entity: String, _ style: OutputStyle) -> [String] {
        let (key, secret) = (answer.apiKey, answer.secret.printable)
        guard style.isInteractive else { return ["\(key.name.printable)\t\(key.id.printable)\t\(secret)"] }
        return [
            "Created API key \(key.name.printable), \(DisplayText.role(key.role)) of \(entity.printable) until "
                + "\(style.instant(key.expiresAt)). Its secret:",
            "  \(secret)", "It is not shown again. Its holder has the key's rights: keep it like a password.",
        ]
    }
}

/// `doorward key delete`: deletes an API key.
struct KeyDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an API key.",
        discussion: """
            Shows the key and those that were created with it, and asks. After exit code 0 the gateway no longer accepts them, \
            and programs that use them have lost access. Without a terminal it deletes only with --yes.

            Example: doorward key delete "door display"
            """)

    @Argument(help: ArgumentHelp("The key: a name or id.", valueName: "key"))
    var key: String

    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try deletion.requireConfirmable()
        let client = try gateway.client()
        let key = try await NameResolver(client).apiKey(key)
        try await deletion.run(client.apiKeys.deletion(of: key.id), name: key.name, "API key \(key.name)")
    }
}
