import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward role`: shows and changes who holds which role.
struct RoleGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Show and change who holds which role.",
        discussion: """
            \(Doorward.Role.help) A role applies to its entity and to everything below it. ENTITY is the name or id of a portfolio, \
            property or unit.
            """,
        subcommands: [RoleList.self, RoleAdd.self, RoleRemove.self])
}

/// The entity that a command about roles is about.
struct EntityArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The portfolio, property or unit: a name or id.", valueName: "entity"), completion: .entityName)
    var entity: String
}

/// The role of a command, and the entity on which it is held.
struct RoleOnEntityArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The role: \(Doorward.Role.typedNames.joined(separator: ", ")).", valueName: "role"),
        completion: .list(Doorward.Role.typedNames), transform: Doorward.Role.init(typed:))
    var role: Doorward.Role

    @OptionGroup var argument: EntityArgument

    func find(_ finder: NameResolver) async throws -> NameResolver.FoundEntity {
        try await finder.entity(argument.entity, of: role.kinds)
    }
}

/// `doorward role list`: lists the people with a role on an entity.
struct RoleList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people who hold a role on a portfolio, property or unit.",
        discussion: """
            Roles on the entities above it apply to it too, but are listed only there.

            Example: doorward role list "Quay 1"
            """)

    @OptionGroup var argument: EntityArgument
    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let found = try await NameResolver(client).entity(argument.entity, of: AssociatedEntityType.allCases)
        let people = try await client.roles.list(on: found.roleEntity).all()
        output.print(json: people.json) { Self.lines(people.content, table.style($0)) }
    }

    static func lines(_ people: [Doorward.User], _ style: OutputStyle) -> [String] {
        Table(
            people.flatMap { user in (user.roleAssociations ?? []).map { (user: user, role: $0) } },
            [
                Column("NAME", .cut(to: 8)) { Table.Cell($0.user.fullName) },
                Column("EMAIL", .cut(to: 12)) { Table.Cell($0.user.email) },
                Column("ROLE") { Table.Cell(DisplayText.word($0.role.roleWithinEntity)) },
                Column("SINCE", .optional) { Table.Cell(style.instant($0.role.createdAt)) },
                Column("USER ID", .id) { Table.Cell($0.user.id, .dim) },
            ]
        ).lines(style, empty: "No roles.")
    }
}

/// `doorward role add`: assigns a role to a user.
struct RoleAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Give a person a role.",
        discussion: """
            The role is in force at once. It can be given to people that you may see, and to anybody whose user id you know; \
            others are invited: `doorward invite EMAIL ROLE ENTITY`.

            \(Doorward.Role.help)

            Example: doorward role add max@example.org property-manager "Quay 1"
            """)

    @OptionGroup var user: NounArgument<Doorward.User>
    @OptionGroup var held: RoleOnEntityArguments
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let finder = NameResolver(client)
        let entity = try await held.find(finder)
        let person = try await person(finder)
        let answer = try await client.roles.assign(held.role, to: person.id, on: entity.roleEntity)
        let role = DisplayText.word(answer.content.roleWithinEntity)
        output.print(
            json: answer.json, sentence: "\(person.name.printable) is \(role) of \(entity.name.printable).",
            values: person.name, role, entity.name)
    }

    /// Finds the user; for an unknown address the error names the command that invites.
    private func person(_ finder: NameResolver) async throws -> NameMatch {
        if user.text == "me" {
            let me = try await finder.client.users.me().content
            return NameMatch(id: me.id, name: me.fullName ?? user.text)
        }
        do {
            return try await user.find(finder)
        } catch let failure as CommandFailure where user.text.contains("@") {
            let role = held.role.rawValue.lowercased().replacing("_", with: "-")
            let command = "doorward invite \(user.text.shellQuoted) \(role) \(held.argument.entity.shellQuoted)"
            throw CommandFailure("\(failure.sentence)\n  to invite this address: \(command)", code: failure.code)
        }
    }
}

/// `doorward role remove`: removes a person's roles on an entity.
struct RoleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take away a person's roles on a portfolio, property or unit.",
        discussion: """
            Shows what would end, and asks for confirmation. After exit code 0 no command is sent under these roles any more. Roles on \
            other entities stay. Without a terminal it removes only with --yes.

            Example: doorward role remove tom@example.org "Quay 1 / 1A"
            """)

    @OptionGroup var user: NounArgument<Doorward.User>
    @OptionGroup var argument: EntityArgument
    @OptionGroup var deletion: DeletionOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try deletion.requireConfirmable("remove")
        let client = try gateway.client()
        let entity = try await NameResolver(client).entity(argument.entity, of: AssociatedEntityType.allCases)
        let person = try await holder(of: entity, client)
        try await deletion.run(
            client.roles.removal(of: person.id, from: entity.roleEntity), name: person.name,
            "the roles of \(person.name) on \(entity.name)", verb: "Remove")
    }

    /// Finds the user among those who hold a role on the entity.
    private func holder(of entity: NameResolver.FoundEntity, _ client: DoorwardClient) async throws -> NameMatch {
        if NameResolver.isID(user.text) { return NameMatch(id: user.text, name: user.text) }
        let people = try await client.roles.list(on: entity.roleEntity).all().content
        let me = user.text == "me" ? try await client.users.me().content : nil
        return try NameMatch.one(
            me?.id ?? user.text, of: people.flatMap(\.matches), noun: "person with a role on \(entity.name.printable)",
            listing: "`doorward role list \(entity.name.shellQuoted)` lists them.")
    }
}

extension Doorward.Role {
    /// The roles that can be assigned, highest first.
    static let assignable = Role.allCases.filter { role in
        AssociatedEntityType.allCases.contains { $0.assignableRoles.contains(role) }
    }

    /// The assignable roles, as they are typed on the command line.
    static let typedNames = assignable.map { $0.rawValue.lowercased().replacing("_", with: "-") }

    /// A sentence for help texts.
    static let help = """
        owner, portfolio-admin and auditor are held on a portfolio, property-manager, maintenance and auditor on a property, \
        tenant on a unit.
        """

    /// Reads a role as typed by a user, such as `property-manager` or `PROPERTY_MANAGER`.
    ///
    /// - Throws: a `ValidationError` that lists the roles if there is no such role.
    init(typed text: String) throws {
        let name = text.lowercased().replacing("_", with: "-").replacing(" ", with: "-")
        guard let index = Self.typedNames.firstIndex(of: name) else {
            let known = "The roles are \(Self.typedNames.joined(separator: ", "))."
            throw ValidationError(NameMatch.missing(text, of: Self.typedNames, noun: "role", otherwise: known))
        }
        self.init(rawValue: Self.assignable[index].rawValue)
    }

    /// The kinds of entity that the role can be held on.
    var kinds: [AssociatedEntityType] {
        AssociatedEntityType.allCases.filter { $0.assignableRoles.contains { $0.rawValue == rawValue } }
    }
}

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
