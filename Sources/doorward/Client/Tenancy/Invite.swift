import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardDomain

/// `doorward invite`: creates an invitation to a role.
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Invite a person to a role, and print the link to hand over.",
        discussion: """
            The holder of the link can accept the invitation, once and within 7 days. A person without an account sets a name and a \
            password there; a person with an account signs in. A new link for the same address and role replaces the earlier one.

            \(RoleArgument.help)

            Example: doorward invite tom@example.org tenant "Quay 1 / 1A"
            """)

    @Argument(help: ArgumentHelp("The email address of the person.", valueName: "email"), transform: { $0.trimmed })
    var email: String

    @Argument(
        help: ArgumentHelp("The role: \(RoleArgument.names.joined(separator: ", ")).", valueName: "role"),
        completion: .list(RoleArgument.names), transform: RoleArgument.init)
    var role: RoleArgument

    @Argument(
        help: ArgumentHelp("The portfolio, property or unit: a name or id.", valueName: "entity"), completion: .entityName)
    var entity: String

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let found = try await NameResolver(client).entity(entity, of: role.kinds)
        let answer = try await namingOptions({ $0 == "email" ? FieldOption("the email address") : nil }) {
            try await client.roles.invite(email, to: role.word, on: found.roleEntity)
        }
        let purpose = "can become \(DisplayText.role(role.word)) of \(found.name)"
        output.print(json: answer.json) { InvitationView(answer.content.invitation, purpose: purpose).lines($0) }
    }
}

/// Prints a new invitation.
struct InvitationView {
    private let invitation: Wire.Invitation
    private let purpose: String

    /// - Parameter purpose: what the invitation allows, as a predicate of the address.
    init(_ invitation: Wire.Invitation, purpose: String) { (self.invitation, self.purpose) = (invitation, purpose) }

    /// Returns the lines to print: on a terminal a sentence and the link; in a pipe the link and its expiry.
    func lines(_ style: OutputStyle) -> [String] {
        let link = (invitation.url ?? invitation.token ?? "").printable
        guard style.isInteractive else { return ["\(link)\t\(invitation.expiresAt.printable)"] }
        return [
            "\(invitation.email.printable) \(purpose.printable), once and until \(style.instant(invitation.expiresAt)), "
                + "with this link:",
            "  \(link)", "It is not shown again. Its holder can use it: hand it over to this person only.",
        ]
    }
}
