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
        subcommands: [
            NounList<Doorward.APIKey, NoOptions>.self, KeyCreate.self, NounDelete<Doorward.APIKey, NoOptions>.self,
        ])
}

extension Doorward.APIKey: ListedByCommand {
    static var argument: ArgumentWords { (ArgumentHelp("The key: a name or id.", valueName: "key"), nil) }

    static var commands: NounCommands<Self> {
        NounCommands(
            noun: "API key", empty: "There are no API keys that you may manage.", list: "List the API keys that you may manage.",
            delete: "Delete an API key.",
            discussions: [
                "list": "Example: doorward key list",
                "delete": """
                Shows the key and the keys that were created with it, and asks for confirmation. After exit code 0 the gateway no longer \
                accepts them, and programs that use them have lost access. Without a terminal it deletes only with --yes.

                Example: doorward key delete "door display"
                """,
            ],
            columns: [
                ("NAME", .cut(to: 8), .text(\.name)),
                ("ROLE", .whole, NounValue { key, _, _ in Table.Cell(DisplayText.word(key.role)) }),
                ("ON", .cut(to: 8), place),
                ("EXPIRES", .whole, NounValue { key, _, style in Table.Cell(style.instant(key.expiresAt)) }),
            ], kinds: { [$0.entityType] })
    }

    private static var place: NounValue<Self> { NounValue { key, names, _ in Table.Cell(names[key.entityId] ?? key.entityId) } }

    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch {
        try await finder.one(text, noun: "API key", listing: "`doorward key list` lists the keys that you may manage.") {
            search in
            try await finder.client.apiKeys.list(search: search).all().content.map {
                NameMatch(id: $0.id, name: $0.name, place: "until \($0.expiresAt)")
            }
        }
    }
}

/// `doorward key create`: creates an API key.
struct KeyCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an API key, and print its secret once.",
        discussion: """
            A program sends the secret as `Authorization: Bearer SECRET`; `doorward login --api-key-stdin` and the variable \
            DOORWARD_TOKEN take it too. Choose the smallest role that suffices. A key is valid for a year at most.

            \(Doorward.Role.help)

            \(TimeArgument.help)

            Example: doorward key create "door display" auditor "Quay 1" --expires +30d
            """)

    @Argument(help: ArgumentHelp("The name of the key, for example the program that uses it.", valueName: "name"))
    var name: String

    @OptionGroup var held: RoleOnEntityArguments

    @Option(help: ArgumentHelp("When the key expires.", valueName: "time"))
    var expires = "+90d"

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let expiry = try TimeArgument(expires, option: "--expires").instant(now: SystemClock().now())
        let client = try output.client()
        let entity = try await held.find(NameResolver(client))
        let new = [
            "name": name, "entityType": entity.kind.rawValue, "entityId": entity.id, "role": held.role.rawValue,
            "expiresAt": expiry.description,
        ]
        let answer = try await namingOptions(["name": "the name", "expiresAt": "--expires"]) {
            try await client.apiKeys.issue(new)
        }
        output.print(json: answer.json) { Self.lines(answer.content, entity: entity.name, $0) }
    }

    /// Returns the lines to print: on a terminal sentences and the secret; in a pipe the name, the id and the secret.
    static func lines(_ answer: Doorward.IssuedAPIKey, entity: String, _ style: OutputStyle) -> [String] {
        let (key, secret) = (answer.apiKey, answer.secret.printable)
        guard style.isInteractive else { return ["\(key.name.printable)\t\(key.id.printable)\t\(secret)"] }
        return [
            "Created API key \(key.name.printable), \(DisplayText.word(key.role)) of \(entity.printable) until "
                + "\(style.instant(key.expiresAt)). Its secret:",
            "  \(secret)", "It is not shown again. Its holder has the key's rights: keep it like a password.",
        ]
    }
}
