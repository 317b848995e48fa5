internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Role assignments: `…/admins` of a portfolio, `…/managers` of a property, `…/tenants` of a unit.
enum RoleRoutes {
    static let all: [Route] =
        routes("/portfolios/:id/admins", "owners and admins of a portfolio") { AssociatedEntity.portfolio($0.cast()) }
        + routes("/properties/:id/managers", "users with a role on a property") { AssociatedEntity.property($0.cast()) }
        + routes("/units/:id/tenants", "tenants of a unit") { AssociatedEntity.unit($0.cast()) }

    private typealias EntityOf = @Sendable (EntityID<AssociatedEntity>) -> AssociatedEntity

    /// Body and query are validated before the id in the path; an invalid id is treated as an id that does not exist.
    private static func routes(_ path: String, _ people: String, _ entity: @escaping EntityOf) -> [Route] {
        [
            .get(path, "Lists the \(people).", .page("users", "User")) { request in
                let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
                let people = try request.control.roles.people(on: entity(request.id("id")), for: request.caller, page)
                return try request.page("users", people) { $0.user($1.user, associations: $1.associations, into: &$2) }
            },
            .post(path, "Adds to the \(people): a user at once, or an e-mail address by an invitation.", assigned) { request in
                let (role, user, email) = try request.readBody { recipient(of: entity(.nonexistent).type, &$0) }
                let entity = entity(request.id("id"))
                guard let email else {
                    let association = try await request.control.roles.assign(request.caller, role, to: user, on: entity)
                    let view = request.view
                    return .success { $0.field("roleAssociation") { view.association(association, into: &$0) } }
                }
                let issued = try await request.control.invitations.invite(request.caller, email, to: role, on: entity)
                let view = request.view
                return .success {
                    $0.field("invitation") { view.invitation(issued, under: request.services.publicURL, into: &$0) }
                }
            },
            .removal(path + "/:userId", "Removes a user from the \(people).") {
                try await $0.control.roles.remove($0.caller, $0.id("userId"), from: entity($0.id("id")), isDryRun: $1)
            },
        ]
    }

    private static let assigned: [DocumentedAnswer] = [
        DocumentedAnswer(
            status: 200, summary: "The role, or the invitation.",
            data: .oneOf([
                .fields(["roleAssociation": .reference("RoleAssociation")]), .fields(["invitation": .reference("Invitation")]),
            ]))
    ]

    /// Reads the role and its recipient: a user, who holds it at once, or the address of the person who gets an invitation.
    private static func recipient(
        of type: AssociatedEntityType, _ body: inout BodyReader
    ) -> (role: Role, user: UserID, email: String?) {
        let assignable = Role.allCases.filter { type.assignableRoles.contains($0) }
        let role = body.require("role", body.enumValue("role", of: assignable)) ?? .guest
        guard body.isChosen(by: "email") else { return (role, body.requiredID("userId"), nil) }
        body.reject("userId", beside: "email")
        return (role, .nonexistent, body.requiredEmail("email"))
    }
}
