internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// How long the access log of a portfolio is kept.
enum RetentionRoutes {
    static let all: [Route] = [
        .read(
            "/portfolios/:id/retention", "Reads how long the access log of a portfolio is kept.",
            .tagged("retention", "Retention")
        ) { answer(try $0.control.portfolios.retention(of: $0.id("id"), for: $0.caller)) },
        .put(
            "/portfolios/:id/retention", "Changes how long the access log of a portfolio is kept.",
            .tagged("retention", "Retention"), change),
    ]

    /// The range of `days`: at most a century.
    fileprivate static let validDays = 1...36_525

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (days, legalHold) = try request.readBody { body -> (Patch<Int>, Bool?) in
            let legalHold = body.change("legalHold") { $0.bool($1) }
            return (body.patch("days") { $0.integer($1, in: validDays) }, legalHold)
        }
        let condition = try request.condition { (_: ProjectedRenderer, portfolio: Portfolio) in tag(of: portfolio.retention) }
        return answer(
            try await request.control.portfolios.changeRetention(
                request.caller, of: request.id("id"), days: days, legalHold: legalHold, onlyIf: condition))
    }

    private static func answer(_ retention: Retention) -> APIResponse {
        APIResponse.success { $0.field("retention", retention) }.tagged(tag(of: retention))
    }

    private static func tag(of retention: Retention) -> EntityTag { EntityTag { retention.write(into: &$0) } }
}

extension Retention: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("days", .nullable(.integer(in: RetentionRoutes.validDays)), \.days), .init("legalHold", \.legalHold),
    ]
}
