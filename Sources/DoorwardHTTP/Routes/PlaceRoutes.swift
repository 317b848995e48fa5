internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Portfolios, properties and units. Properties and units can also be listed and created under their parent.
enum PlaceRoutes {
    static let all: [Route] = portfolios.routes + properties.routes + units.routes

    private static let portfolios = Places<Portfolio, Never, NewPortfolio, PortfolioChanges>(
        name: "portfolio", plural: "portfolios", parent: nil, body: newPortfolio, changes: portfolioChanges,
        find: { try $0.control.portfolios.place($0.id("id"), for: $0.caller) },
        list: { request, _, page in request.control.portfolios.list(for: request.caller, page) },
        make: { request, _, new, repeatable in
            try await request.control.portfolios.create(
                request.caller, name: new.name, owners: new.owners, repeatable: repeatable)
        },
        change: { try await $0.control.portfolios.change($0.caller, $0.id("id"), $1, onlyIf: $2) },
        remove: { try await $0.control.portfolios.delete($0.caller, $0.id("id") as PortfolioID, $1) },
        render: { view, portfolio, writer in view.portfolio(portfolio, into: &writer) })

    private static let properties = Places<Property, Portfolio, NewProperty, PropertyChanges>(
        name: "property", plural: "properties", parent: ("portfolios", "portfolioId"), body: newProperty,
        changes: propertyChanges,
        find: { try $0.control.portfolios.place($0.id("id"), for: $0.caller) },
        list: { request, parent, page in try request.control.portfolios.properties(for: request.caller, under: parent, page) },
        make: { request, parent, new, repeatable in
            try await request.control.portfolios.createProperty(request.caller, in: parent, new, repeatable: repeatable)
        },
        change: { try await $0.control.portfolios.change($0.caller, $0.id("id"), $1, onlyIf: $2) },
        remove: { try await $0.control.portfolios.delete($0.caller, $0.id("id") as PropertyID, $1) },
        render: { view, property, writer in view.property(property, into: &writer) })

    private static let units = Places<Unit, Property, NewUnit, UnitChanges>(
        name: "unit", plural: "units", parent: ("properties", "propertyId"), body: newUnit, changes: unitChanges,
        find: { try $0.control.portfolios.place($0.id("id"), for: $0.caller) },
        list: { request, parent, page in try request.control.portfolios.units(for: request.caller, under: parent, page) },
        make: { request, parent, new, repeatable in
            try await request.control.portfolios.createUnit(request.caller, in: parent, new, repeatable: repeatable)
        },
        change: { try await $0.control.portfolios.change($0.caller, $0.id("id"), $1, onlyIf: $2) },
        remove: { try await $0.control.portfolios.delete($0.caller, $0.id("id") as UnitID, $1) },
        render: { view, unit, writer in view.unit(unit, into: &writer) })

    // MARK: - Bodies

    private typealias NewPortfolio = (name: String, owners: [UserID])

    private static func newPortfolio(_ body: inout BodyReader) -> NewPortfolio {
        body.rejectReadOnly("propertyIds")
        return (name: body.requiredText("name"), owners: body.ids("administratorUserIds") ?? [])
    }

    private static func newProperty(_ body: inout BodyReader) -> NewProperty {
        body.rejectReadOnly("unitIds")
        return NewProperty(
            name: body.requiredText("name"), address: body.object("address", postalAddress),
            defaultTimeZone: body.zone("defaultTimeZone").name, managers: body.ids("managerUserIds") ?? [])
    }

    private static func postalAddress(_ body: inout BodyReader) -> PostalAddress {
        PostalAddress(
            street: body.text("street"), city: body.text("city"), state: body.text("state"),
            postalCode: body.text("postalCode"), country: body.text("country"))
    }

    private static func newUnit(_ body: inout BodyReader) -> NewUnit {
        NewUnit(name: body.requiredText("name"), tenants: body.ids("tenantUserIds") ?? [], devices: body.ids("deviceIds") ?? [])
    }

    // Changes: a field whose key is absent stays as it is; `null` clears an optional field and empties a list.

    private static func portfolioChanges(_ body: inout BodyReader) -> PortfolioChanges {
        body.rejectReadOnly("propertyIds")
        var changes = PortfolioChanges()
        changes.name = body.change("name") { $0.text($1) }
        changes.holders = body.list("administratorUserIds")
        return changes
    }

    private static func propertyChanges(_ body: inout BodyReader) -> PropertyChanges {
        body.rejectReadOnly("unitIds")
        body.rejectReadOnly("portfolioId")
        var changes = PropertyChanges()
        changes.name = body.change("name") { $0.text($1) }
        changes.address = body.patch("address") { $0.object($1, postalAddress) }
        changes.defaultTimeZone = body.patch("defaultTimeZone") { $0.zone($1).name }
        changes.holders = body.list("managerUserIds")
        return changes
    }

    private static func unitChanges(_ body: inout BodyReader) -> UnitChanges {
        body.rejectReadOnly("propertyId")
        body.rejectReadOnly("portfolioId")
        var changes = UnitChanges()
        changes.name = body.change("name") { $0.text($1) }
        changes.holders = body.list("tenantUserIds")
        changes.devices = body.list("deviceIds")
        changes.commonAreas = body.list("commonAreaAccessIds")
        return changes
    }
}

/// The routes of one kind of place. A route below the path of a parent does the same as the route whose query or body contains
/// the id of the parent.
private struct Places<Entity: CreatedEntity, Parent, New: Sendable, Changes: Sendable>: Sendable {
    /// The name of the field of `data` that contains one place.
    let name: String
    /// The name in the path; also the name of the field of `data` that contains a list.
    let plural: String
    /// The path of the parent, and the field for the parent's id; `nil` for places without a parent.
    let parent: (path: String, field: String)?
    let body: @Sendable (inout BodyReader) -> New
    let changes: @Sendable (inout BodyReader) -> Changes
    let find: @Sendable (AuthenticatedRequest) throws -> Entity
    let list: @Sendable (AuthenticatedRequest, ParentFilter<Parent>, PageRequest<NameOrCreatedAt>) throws -> Page<Entity>
    let make: @Sendable (AuthenticatedRequest, EntityID<Parent>, New, IdempotentCall?) async throws -> Answered<Entity>
    let change: @Sendable (AuthenticatedRequest, Changes, Precondition<Entity>?) async throws -> Entity
    let remove: @Sendable (AuthenticatedRequest, RemovalOptions<Entity>) async throws -> RemovalPreview?
    let render: @Sendable (ProjectedRenderer, Entity, inout JSONWriter) -> Void

    /// The name in the document of the API.
    private var component: String { name.prefix(1).uppercased() + name.dropFirst() }

    var routes: [Route] {
        let own: [Route] = [
            .get("/\(plural)", "Lists \(plural).", .page(plural, component), listAll),
            .post("/\(plural)", "Creates a \(name).", .created(name, component), isRepeatable: true, createOne),
            .read("/\(plural)/:id", "Reads a \(name).", .tagged(name, component)) { answer(try find($0), $0) },
            .put("/\(plural)/:id", "Changes a \(name).", .tagged(name, component), changeOne),
            .delete(
                "/\(plural)/:id", "Deletes a \(name), with `cascade=true` together with everything in it.", .removal,
                isConditional: true, removeOne),
        ]
        guard let parent else { return own }
        let path = "/\(parent.path)/:id/\(plural)"
        return own + [
            .get(path, "Lists the \(plural) of one of the \(parent.path).", .page(plural, component), listOfParent),
            .post(
                path, "Creates a \(name) in one of the \(parent.path).", .created(name, component), isRepeatable: true,
                createInParent),
        ]
    }

    private func listAll(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (page, filter) = try request.readQuery { query -> (PageRequest<NameOrCreatedAt>, ParentFilter<Parent>) in
            let named: EntityID<Parent>? = parent.flatMap { query.id($0.field) }
            return (PageRequest(&query), named.map { .query($0) } ?? .any)
        }
        return try request.page(plural, try list(request, filter, page), render)
    }

    private func listOfParent(_ request: AuthenticatedRequest) throws -> APIResponse {
        let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
        return try request.page(plural, try list(request, .path(request.id("id")), page), render)
    }

    private func answer(_ entity: Entity, _ request: AuthenticatedRequest) -> APIResponse {
        let view = request.view
        return .success { $0.field(name) { render(view, entity, &$0) } }.tagged(EntityTag { render(view, entity, &$0) })
    }

    private func condition(of request: AuthenticatedRequest) throws(GatewayError) -> Precondition<Entity>? {
        try request.condition { [render] (view: ProjectedRenderer, entity: Entity) in EntityTag { render(view, entity, &$0) } }
    }

    private func changeOne(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody(changes)
        return answer(try await change(request, changes, try condition(of: request)), request)
    }

    private func removeOne(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (isDryRun, isCascade) = try request.readQuery { ($0.bool("dryRun") ?? false, $0.bool("cascade") ?? false) }
        let options = RemovalOptions(isCascade: isCascade, isDryRun: isDryRun, onlyIf: try condition(of: request))
        return .removal(try await remove(request, options))
    }

    private func createOne(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (id, new) = try request.readBody { reader -> (EntityID<Parent>, New) in
            (parent.map { reader.requiredID($0.field) } ?? .nonexistent, body(&reader))
        }
        return try await create(new, in: id, request)
    }

    private func createInParent(_ request: AuthenticatedRequest) async throws -> APIResponse {
        try await create(try request.readBody { body(&$0) }, in: request.id("id"), request)
    }

    private func create(_ new: New, in parent: EntityID<Parent>, _ request: AuthenticatedRequest) async throws -> APIResponse {
        try await request.create { repeatable in
            try await make(request, parent, new, repeatable)
        } render: { entity, view in
            .created("\(plural)/\(entity.id)", name) { render(view, entity, &$0) }
        }
    }
}
