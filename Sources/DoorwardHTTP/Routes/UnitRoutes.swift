internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Units, by themselves and under their property, and the devices that hang on them.
enum UnitRoutes {
    static let all: [Route] = [
        .get("/units", list), .post("/units", create), .get("/units/:id", read),
        .get("/properties/:id/units", listOfProperty), .post("/properties/:id/units", createInProperty),
        .get("/units/:id/devices", devices),
    ]

    private static func create(_ call: Call) async throws -> Answer {
        let (property, new) = try call.exchange.readBody { body -> (PropertyID?, NewUnit) in
            (body.requiredID("propertyId"), newUnit(&body))
        }
        return try await create(new, in: property, call)
    }

    private static func createInProperty(_ call: Call) async throws -> Answer {
        try await create(try call.exchange.readBody { newUnit(&$0) }, in: call.id("id"), call)
    }

    private static func newUnit(_ body: inout BodyReader) -> NewUnit {
        NewUnit(
            name: body.requiredText("name"), tenants: body.ids("tenantUserIds") ?? [], devices: body.ids("deviceIds") ?? [])
    }

    private static func create(_ new: NewUnit, in property: PropertyID?, _ call: Call) async throws -> Answer {
        try await call.create { repeatable in
            try await call.control.portfolios.createUnit(call.caller, in: property, new, repeatable: repeatable)
        } render: { unit, view in
            .created("units/\(unit.id)", "unit") { view.unit(unit, into: &$0) }
        }
    }

    private static func read(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let unit = try call.control.portfolios.unit(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("unit") { view.unit(unit, into: &$0) } }.tagged(view.tag(of: unit))
    }

    private static func list(_ call: Call) throws -> Answer {
        let (page, property) = try call.exchange.readQuery { query -> (PageRequest<NameOrAge>, PropertyID??) in
            (PageRequest(&query), query.id("propertyId"))
        }
        return try answer(page, call) { unit in
            guard case .some(let property) = property else { return true }
            return unit.propertyID == property
        }
    }

    private static func listOfProperty(_ call: Call) throws -> Answer {
        let page = try call.exchange.readQuery { PageRequest<NameOrAge>(&$0) }
        let property = try call.control.portfolios.property(call.id("id"), for: call.caller)
        return try answer(page, call) { $0.propertyID == property.id }
    }

    private static func answer(
        _ page: PageRequest<NameOrAge>, _ call: Call, where isWanted: (Unit) -> Bool
    ) throws(GatewayError) -> Answer {
        let view = call.view
        let visible = SecurityService.visibleUnitIDs(for: view.subject, in: view.tenancy)
            .compactMap(view.tenancy.unit).filter(isWanted)
        let units = page.sorted(visible) { key, unit in
            key == .name ? .name(unit.name) : .number(unit.createdAt.milliseconds)
        }
        return try .list("units", units, page) { view.unit($1, into: &$0) }
    }

    /// What hangs on the unit, so far as the caller may see it.
    private static func devices(_ call: Call) throws -> Answer {
        let page = try call.exchange.readQuery { PageRequest<NameOrAge>(&$0) }
        let unit = try call.control.portfolios.unit(call.id("id"), for: call.caller)
        let view = call.view
        let devices = view.tenancy.deviceIDs(of: unit.id).filter { id in
            SecurityService.decide(
                view.subject, .viewStatus, on: id, at: view.now, override: false, in: view.tenancy
            ).isAllowed
        }.compactMap(view.tenancy.device)
        return try .list("devices", DeviceRoutes.sorted(devices, page), page) { view.device($1, into: &$0) }
    }
}
