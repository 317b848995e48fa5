internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The subscription of a portfolio: tier, modules, limits, and how much of the limits is used.
enum SubscriptionRoutes {
    static let all: [Route] = [
        .read(
            "/portfolios/:id/subscription", "Reads the subscription of a portfolio, and how much of its limits is used.",
            .tagged("subscription", "Subscription")
        ) { answer(try $0.control.portfolios.subscription(of: $0.id("id"), for: $0.caller)) },
        .put(
            "/portfolios/:id/subscription", "Changes the subscription of a portfolio.",
            .tagged("subscription", "Subscription"), change),
    ]

    static let schema = JSONSchema.fields([
        "tier": .nullable(.text),
        "modules": .object(SubscriptionModule.available.map { JSONSchema.Member($0.rawValue, .boolean) }),
        "limits": .object(SubscriptionLimit.allCases.map { JSONSchema.Member($0.rawValue, .count, isRequired: false) }),
        "usage": .object(SubscriptionLimit.allCases.map { JSONSchema.Member($0.counted, .count) }),
    ])

    /// The maximum number of characters of a tier's name.
    private static let tierCharacters = 64
    /// The range of a limit.
    private static let limits = 0...1_000_000_000

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody(changes)
        let condition = try request.condition { (_: ProjectedRenderer, portfolio: Portfolio) in tag(of: portfolio) }
        return answer(
            try await request.control.portfolios.changeSubscription(
                request.caller, of: request.id("id"), changes, onlyIf: condition))
    }

    /// Reads changes. Each module and limit is a field of its own: one that the body does not name stays as it is, or as the
    /// chosen tier has it. `null` removes a limit.
    private static func changes(_ body: inout BodyReader) -> SubscriptionChanges {
        body.rejectReadOnly("usage")
        var changes = SubscriptionChanges()
        changes.tier = body.change("tier") { $0.text($1, maxCharacters: tierCharacters) }
        changes.modules =
            body.object("modules") { reader in
                SubscriptionModule.available.reduce(into: [:]) { modules, module in
                    modules[module] = reader.change(module.rawValue) { $0.bool($1) }
                }
            } ?? [:]
        changes.limits =
            body.object("limits") { reader in
                SubscriptionLimit.allCases.reduce(into: [:]) { changed, limit in
                    changed[limit] = reader.patch(limit.rawValue) { $0.integer($1, in: limits) }
                }
            } ?? [:]
        return changes
    }

    private static func answer(_ shown: ShownSubscription) -> APIResponse {
        APIResponse.success { writer in
            writer.field("subscription") { $0.object { shown.writeFields(into: &$0) } }
        }.tagged(tag(of: shown.portfolio))
    }

    /// The tag of the stored subscription, without its usage: a new unit does not make a reader's version outdated.
    private static func tag(of portfolio: Portfolio) -> EntityTag {
        EntityTag { writer in writer.object { portfolio.subscription.writeFields(into: &$0) } }
    }
}

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

/// In-app purchases.
enum PurchaseRoutes {
    static let all: [Route] = [
        .post(
            "/iap/validate-receipt", "Redeems the purchase of the compliance pack for the caller.",
            .data(["user": .reference("User"), "message": .text]), validate)
    ]

    private static func validate(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (receipt, product) = try request.readBody { body in
            (
                body.requiredText("receiptData", maxCharacters: SignedTransaction.maxBytes),
                body.requiredText("productId", maxCharacters: maxProductCharacters)
            )
        }
        let purchases = request.control.purchases
        try purchases.requireUser(request.caller)
        let transaction = try SignedTransaction(receipt)
        guard let verifier = request.services.settings.purchaseVerifier else { throw GatewayError.purchasesNotConfigured }
        let purchase = try await verifier.verify(transaction)
        let user = try await purchases.redeem(purchase, of: product, under: verifier.rules, for: request.caller)
        let view = request.view
        return .success { writer in
            writer.field("user") { view.user(user, into: &$0) }
            writer.field("message", "The compliance pack is active: you can read compliance reports.")
        }
    }

    private static let maxProductCharacters = 256
}
