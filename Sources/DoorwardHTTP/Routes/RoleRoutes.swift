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
                return try list(page, request, on: entity(request.id("id")))
            },
            .post(path, "Adds to the \(people): a user at once, or an e-mail address by an invitation.", assigned) { request in
                let assignment = try assignment(request, on: entity(.nonexistent).type)
                return try await assign(assignment, request, on: entity(request.id("id")))
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

    /// The recipient of the role: a user, who holds it at once, or the person who accepts the invitation sent to an address.
    private enum Holder {
        case user(UserID)
        case address(String)
    }

    private static func assignment(_ request: AuthenticatedRequest, on type: AssociatedEntityType) throws(GatewayError) -> (
        Holder, Role
    ) {
        try request.readBody { body in
            let assignable = Role.allCases.filter { type.assignableRoles.contains($0) }
            let role = body.require("role", body.enumValue("role", of: assignable)) ?? .guest
            guard body.isChosen(by: "email") else { return (.user(body.requiredID("userId")), role) }
            body.reject("userId", beside: "email")
            return (.address(body.requiredEmail("email")), role)
        }
    }

    private static func assign(
        _ assignment: (Holder, Role), _ request: AuthenticatedRequest, on entity: AssociatedEntity
    ) async throws -> APIResponse {
        switch assignment.0 {
        case .user(let user):
            let association = try await request.control.roles.assign(request.caller, assignment.1, to: user, on: entity)
            let view = request.view
            return .success { $0.field("roleAssociation") { view.association(association, into: &$0) } }
        case .address(let email):
            let issued = try await request.control.invitations.invite(request.caller, email, to: assignment.1, on: entity)
            let (view, base) = (request.view, request.services.publicURL)
            return .success { $0.field("invitation") { view.invitation(issued, under: base, into: &$0) } }
        }
    }

    private static func list(
        _ page: PageRequest<NameOrCreatedAt>, _ request: AuthenticatedRequest, on entity: AssociatedEntity
    ) throws -> APIResponse {
        let people = try request.control.roles.people(on: entity, for: request.caller, page)
        return try request.page("users", people) { $0.user($1.user, associations: $1.associations, into: &$2) }
    }
}
