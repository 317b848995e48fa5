internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import FoundationEssentials

/// Properties, by themselves and under their portfolio.
enum PropertyRoutes {
    static let all: [Route] = [
        .get("/properties", list), .post("/properties", create), .get("/properties/:id", read),
        .get("/portfolios/:id/properties", listOfPortfolio), .post("/portfolios/:id/properties", createInPortfolio),
    ]

    private static func create(_ call: Call) async throws -> Answer {
        let (portfolio, new) = try call.exchange.readBody { body -> (PortfolioID?, NewProperty) in
            (body.requiredID("portfolioId"), newProperty(&body))
        }
        return try await create(new, in: portfolio, call)
    }

    private static func createInPortfolio(_ call: Call) async throws -> Answer {
        try await create(try call.exchange.readBody { newProperty(&$0) }, in: call.id("id"), call)
    }

    private static func newProperty(_ body: inout BodyReader) -> NewProperty {
        body.noteReadOnly("unitIds")
        return NewProperty(
            name: body.requiredText("name"), address: body.object("address", postalAddress),
            defaultTimeZone: timeZone(&body), managers: body.ids("managerUserIds") ?? [])
    }

    private static func postalAddress(_ body: inout BodyReader) -> PostalAddress {
        PostalAddress(
            street: body.text("street"), city: body.text("city"), state: body.text("state"),
            postalCode: body.text("postalCode"), country: body.text("country"))
    }

    private static func timeZone(_ body: inout BodyReader) -> String? {
        guard let name = body.text("defaultTimeZone") else { return nil }
        if !TimeZoneNames.isKnown(name) { body.note("defaultTimeZone", .unknownZone) }
        return name
    }

    private static func create(_ new: NewProperty, in portfolio: PortfolioID?, _ call: Call) async throws -> Answer {
        try await call.create { repeatable in
            try await call.control.portfolios.createProperty(call.caller, in: portfolio, new, repeatable: repeatable)
        } render: { property, view in
            .created("properties/\(property.id)", "property") { view.property(property, into: &$0) }
        }
    }

    private static func read(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let property = try call.control.portfolios.property(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("property") { view.property(property, into: &$0) } }.tagged(view.tag(of: property))
    }

    private static func list(_ call: Call) throws -> Answer {
        let (page, portfolio) = try call.exchange.readQuery { query -> (PageRequest<NameOrAge>, PortfolioID??) in
            (PageRequest(&query), query.id("portfolioId"))
        }
        return try answer(page, call) { property, view in
            guard case .some(let portfolio) = portfolio else { return true }
            return property.portfolioID == portfolio && view.sees("portfolioId", of: .property, .property(property.id))
        }
    }

    private static func listOfPortfolio(_ call: Call) throws -> Answer {
        let page = try call.exchange.readQuery { PageRequest<NameOrAge>(&$0) }
        let portfolio = try call.control.portfolios.portfolio(call.id("id"), for: call.caller)
        return try answer(page, call) { property, _ in property.portfolioID == portfolio.id }
    }

    private static func answer(
        _ page: PageRequest<NameOrAge>, _ call: Call, where isWanted: (Property, View) -> Bool
    ) throws(GatewayError) -> Answer {
        let view = call.view
        let visible = SecurityService.visiblePropertyIDs(for: view.subject, in: view.tenancy)
            .compactMap(view.tenancy.property).filter { isWanted($0, view) }
        let properties = page.sorted(visible) { key, property in
            key == .name ? .name(property.name) : .number(property.createdAt.milliseconds)
        }
        return try .list("properties", properties, page) { view.property($1, into: &$0) }
    }
}

/// IANA names of time zones.
enum TimeZoneNames {
    /// Whether the system's tables know this name; abbreviations and offsets such as `EST` and `GMT+1` are not asked for.
    static func isKnown(_ name: String) -> Bool {
        guard name == "UTC" || name.contains("/"), name.utf8.count <= 64,
            name.utf8.allSatisfy({ $0 >= 0x21 && $0 < 0x7F }), !name.contains("..")
        else { return false }
        return TimeZone(identifier: name)?.identifier == name || name == "UTC"
    }
}
