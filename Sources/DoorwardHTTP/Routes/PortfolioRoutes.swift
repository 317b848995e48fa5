internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Portfolios.
enum PortfolioRoutes {
    static let all: [Route] = [
        .get("/portfolios", list), .post("/portfolios", create), .get("/portfolios/:id", read),
    ]

    private static func create(_ call: Call) async throws -> Answer {
        let (name, owners) = try call.exchange.readBody { body -> (String, [UserID?]) in
            body.noteReadOnly("propertyIds")
            return (body.requiredText("name"), body.ids("administratorUserIds") ?? [])
        }
        return try await call.create { repeatable in
            try await call.control.portfolios.create(call.caller, name: name, owners: owners, repeatable: repeatable)
        } render: { portfolio, view in
            .created("portfolios/\(portfolio.id)", "portfolio") { view.portfolio(portfolio, into: &$0) }
        }
    }

    private static func read(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let portfolio = try call.control.portfolios.portfolio(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("portfolio") { view.portfolio(portfolio, into: &$0) } }.tagged(view.tag(of: portfolio))
    }

    private static func list(_ call: Call) throws -> Answer {
        let page = try call.exchange.readQuery { PageRequest<NameOrAge>(&$0) }
        let view = call.view
        let visible = SecurityService.visiblePortfolioIDs(for: view.subject, in: view.tenancy)
            .compactMap(view.tenancy.portfolio)
        let portfolios = page.sorted(visible) { key, portfolio in
            key == .name ? .name(portfolio.name) : .number(portfolio.createdAt.milliseconds)
        }
        return try .list("portfolios", portfolios, page) { view.portfolio($1, into: &$0) }
    }
}
