import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward user`: shows and changes users.
struct UserGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show and change the people who can sign in.",
        discussion: """
            Super admins create and delete users; managers see the people of their own properties. Everybody can show and rename \
            themselves: `me` stands for your own user.
            """,
        subcommands: [
            NounList<Doorward.User, NoOptions>.self, NounShow<Doorward.User>.self, UserCreate.self, UserRename.self,
            NounDelete<Doorward.User, NoOptions>.self,
        ])
}

extension Doorward.User: ListedByCommand {
    static var argument: ArgumentWords {
        (ArgumentHelp("The person: an email address, an id, a name or `me`.", valueName: "user"), .userName)
    }

    static var commands: NounCommands<Self> {
        NounCommands(
            noun: "user",
            empty: "There are no people here that you may see.", list: "List the people that you may see.",
            show: "Show a person.", delete: "Delete a user. Only super admins may do this.",
            discussions: [
                "list": "Example: doorward user list", "show": "Example: doorward user show tom@example.org",
                "delete": """
                Shows what would be deleted, and asks for confirmation. Sessions, API keys, roles and guest accesses of the \
                person end at once. Records of what the person did stay in the log. Without a terminal it deletes only with \
                --yes.

                Example: doorward user delete tom@example.org
                """,
            ],
            columns: [
                ("NAME", .cut(to: 8), .text(\.fullName)), ("EMAIL", .cut(to: 12), .text(\.email)),
                ("ROLES", .cut(to: 8), roles), ("STATUS", .whole, .cell(\.status)),
            ],
            facts: [
                ("name", .text(\.fullName, .bold)), ("email", .text(\.email)), ("roles", roles), ("status", .cell(\.status)),
                ("created", .time(\.createdAt)), ("changed", .time(\.updatedAt)),
            ], kinds: { ($0.roleAssociations ?? []).map(\.associatedEntityType) })
    }

    private static var roles: NounValue<Self> { NounValue { user, names, _ in Table.Cell(user.roles(places: names)) } }

    static func find(_ text: String, _ finder: NameResolver) async throws -> NameMatch {
        if text == "me" { return NameMatch(id: text, name: text) }
        return try await finder.person(
            text, hint: "Name the person by email address or id; `doorward user list` lists those that you may see.")
    }

    /// The roles with their places, such as `tenant of 1A`; `nil` if there are none that the reader may see.
    ///
    /// - Parameter places: the names of portfolios, properties and units, by id.
    func roles(places: [String: String]) -> String? {
        let roles = (roleAssociations ?? []).map {
            "\(DisplayText.word($0.roleWithinEntity)) of \(places[$0.associatedEntityId] ?? $0.associatedEntityId)"
        }
        let all = (isSuperAdmin == true ? ["super admin"] : []) + roles
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    private var status: Table.Cell {
        Table.Cell(isEnabled.map { $0 ? "enabled" : "disabled" }, isEnabled == false ? .red : nil)
    }
}

/// `doorward user create`: creates a user.
struct UserCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a user. Only super admins may do this.",
        discussion: """
            Prints a link with which the person sets a password, once and within 7 days: hand it over. With --password-stdin \
            the person can sign in at once, and there is no link.

            A new user has no role: `doorward role add` and `doorward portfolio create --owner` give one. `doorward invite` \
            gives an account and a role in one step.

            Example: doorward user create olga@example.org --first-name Olga --last-name Owner
            """)

    @Argument(help: ArgumentHelp("The address that the person signs in with.", valueName: "email"), transform: { $0.trimmed })
    var email: String

    @Option(help: ArgumentHelp("The person's first name.", valueName: "name"))
    var firstName: String

    @Option(help: ArgumentHelp("The person's last name; none for a person with one name.", valueName: "name"))
    var lastName: String?

    @Flag(help: "Read a password for the person from the first line of standard input.")
    var passwordStdin = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        var new = ["email": email, "firstName": firstName, "lastName": lastName ?? ""]
        if passwordStdin { new["password"] = try PasswordPrompt.newPassword(fromStandardInput: true).reveal() }
        let options: [String: FieldOption] = [
            "email": "the email address", "firstName": "--first-name", "lastName": "--last-name", "password": "the password",
        ]
        let exists = "\(email.printable): a user with this address exists already; nothing was created"
        try await namingOptions(options, explain: { $0.code == "already_exists" ? exists : nil }) { [new] in
            guard passwordStdin else {
                let answer = try await client.users.createInvited(new)
                return output.print(json: answer.json) { style in
                    (style.isInteractive ? ["Created \(email.printable), id \(answer.content.user.id.printable)."] : [])
                        + answer.content.invitation.lines(purpose: "can set a password", style)
                }
            }
            let answer = try await client.users.create(new)
            output.printCreated(answer.json, "user", name: email, id: answer.content.id)
        }
    }
}

/// `doorward user rename`: changes the names of a user.
struct UserRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Change a person's first or last name.",
        discussion: "Example: doorward user rename me --last-name Example")

    @OptionGroup var argument: NounArgument<Doorward.User>

    @Option(help: ArgumentHelp("The new first name.", valueName: "name"))
    var firstName: String?

    @Option(help: ArgumentHelp("The new last name; '' for none.", valueName: "name"))
    var lastName: String?

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        guard firstName != nil || lastName != nil else { throw ValidationError("Give --first-name, --last-name or both.") }
    }

    func run() async throws {
        let (client, found) = try await argument.find(at: output.gateway)
        let answer = try await namingOptions(["firstName": "--first-name", "lastName": "--last-name"]) {
            try await client.users.change(found.id, ["firstName": firstName, "lastName": lastName].compactMapValues(\.self))
        }
        let user = answer.content
        output.printRenamed(answer.json, found.name, to: user.fullName ?? found.name, id: user.id)
    }
}

/// `doorward invite`: creates an invitation to a role.
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Invite a person to a role, and print the link to hand over.",
        discussion: """
            The holder of the link can accept the invitation, once and within 7 days. A person without an account sets a name and a \
            password there; a person with an account signs in. A new link for the same address and role replaces the earlier one.

            \(Doorward.Role.help)

            Example: doorward invite tom@example.org tenant "Quay 1 / 1A"
            """)

    @Argument(help: ArgumentHelp("The email address of the person.", valueName: "email"), transform: { $0.trimmed })
    var email: String

    @OptionGroup var held: RoleOnEntityArguments
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let found = try await held.find(NameResolver(client))
        let answer = try await namingOptions(["email": "the email address"]) {
            try await client.roles.invite(email, to: held.role, on: found.roleEntity)
        }
        let purpose = "can become \(DisplayText.word(held.role)) of \(found.name)"
        output.print(json: answer.json) { answer.content.lines(purpose: purpose, $0) }
    }
}

extension Doorward.Invitation {
    /// Returns the lines to print: on a terminal a sentence and the link; in a pipe the link and its expiry.
    ///
    /// - Parameter purpose: what the invitation allows, as a predicate of the address.
    func lines(purpose: String, _ style: OutputStyle) -> [String] {
        let link = (url ?? token ?? "").printable
        guard style.isInteractive else { return ["\(link)\t\(expiresAt)"] }
        return [
            "\(email.printable) \(purpose.printable), once and until \(style.instant(expiresAt)), "
                + "with this link:",
            "  \(link)", "It is not shown again. Its holder can use it: hand it over to this person only.",
        ]
    }
}
