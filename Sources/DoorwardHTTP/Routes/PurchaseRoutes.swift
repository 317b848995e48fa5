internal import DoorwardControl
internal import DoorwardDomain

/// In-app purchases.
enum PurchaseRoutes {
    static let all: [Route] = [
        .post(
            "/iap/validate-receipt", "Redeems the purchase of the compliance pack for the caller.",
            .data(["user": .reference("User"), "message": .text]), validate)
    ]

    private static func validate(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let (receipt, product) = try call.readBody { body in
            (
                body.requiredText("receiptData", longest: SignedTransaction.maxBytes),
                body.requiredText("productId", longest: maxProductCharacters)
            )
        }
        let purchases = call.control.purchases
        try purchases.requireUser(call.caller)
        let transaction = try SignedTransaction(receipt)
        guard let verifier = call.services.purchaseVerifier else { throw GatewayError.purchasesNotConfigured }
        let purchase = try await verifier.verify(transaction)
        let user = try await purchases.redeem(purchase, of: product, under: verifier.rules, for: call.caller)
        let view = call.view
        return .success { writer in
            writer.field("user") { view.user(user, into: &$0) }
            writer.field("message", "The compliance pack is active: you can read compliance reports.")
        }
    }

    private static let maxProductCharacters = 256
}
