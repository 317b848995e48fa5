import Crypto
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials

/// The use case of redeeming in-app purchases.
package struct Purchases: UseCases, Sendable {
    let kernel: Kernel

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// The only product: it lets its buyer read compliance reports.
    package static let compliancePack = "com.unifiedsmarthome.compliancepack1"

    /// Requires that the caller is a signed-in user: an API key or a guest link has no purchases.
    ///
    /// - Throws: `.outOfReach`.
    package func requireUser(_ caller: Caller) throws(GatewayError) { _ = try user(caller, in: directory.current) }

    /// Redeems a purchase for the caller, who gets the compliance pack. Redeeming it again changes nothing.
    ///
    /// - Parameter productID: the product that the request names.
    /// - Throws: `.invalidReceipt`; `.receiptUsed` if another user has redeemed the purchase.
    package func redeem(
        _ purchase: SignedPurchase, of productID: String, under rules: PurchaseRules, for caller: Caller
    ) async throws(GatewayError) -> User {
        let id = try user(caller, in: directory.current).id
        if let problem = purchase.problem(productID, rules, at: clock.now()) { throw .invalidReceipt(problem) }
        return try await writer.change(caller) { (draft) throws(GatewayError) in
            // The user may have been deleted since the request was authenticated.
            guard let user = draft.directory.user(id) else { throw .unauthenticated }
            draft.transaction.purchases.append(RedeemedPurchase(digest: purchase.digest, userID: id, at: draft.now))
            return draft.giveCompliancePack(to: user)
        }
    }

    private func user(_ caller: Caller, in tenancy: TenancyDirectory) throws(GatewayError) -> User {
        guard let user = tenancy.user(caller.userID), caller.sessionID != nil else { throw .outOfReach }
        return user
    }
}

/// The purchases that a gateway accepts.
package struct PurchaseRules: Sendable {
    /// The app that the purchase must have been made in.
    package var bundleID: String
    /// The environments of the App Store that purchases are accepted from, such as `Production`.
    package var environments: Set<String>

    package init(bundleID: String, environments: Set<String>) {
        (self.bundleID, self.environments) = (bundleID, environments)
    }
}

/// A purchase as its signed transaction states it. Signature and certificates were verified.
package struct SignedPurchase: Hashable, Sendable {
    /// Identifies the purchase. A restored purchase has the id of the first one.
    package var originalTransactionID: String
    /// `nil` if it is not stated.
    package var productID: String?
    /// The app; `nil` if it is not stated.
    package var bundleID: String?
    /// The environment of the App Store; `nil` if it is not stated.
    package var environment: String?
    /// Whether the purchase was refunded or revoked.
    package var isRevoked: Bool
    /// `nil` for a purchase without an end.
    package var expiresAt: Timestamp?

    package init(
        originalTransactionID: String, productID: String?, bundleID: String?, environment: String?, isRevoked: Bool = false,
        expiresAt: Timestamp? = nil
    ) {
        (self.originalTransactionID, self.productID, self.bundleID) = (originalTransactionID, productID, bundleID)
        (self.environment, self.isRevoked, self.expiresAt) = (environment, isRevoked, expiresAt)
    }

    /// The first check that the purchase fails; `nil` if it passes all.
    func problem(_ requested: String, _ rules: PurchaseRules, at now: Timestamp) -> ReceiptProblem? {
        // Compare bytes: strings that differ in their normalisation are equal in Swift.
        func isSame(_ text: String?, _ other: String) -> Bool { text?.hasSameBytes(as: other) ?? false }
        guard isSame(productID, Purchases.compliancePack), isSame(requested, Purchases.compliancePack) else { return .product }
        guard isSame(bundleID, rules.bundleID) else { return .bundle }
        guard rules.environments.contains(where: { isSame(environment, $0) }) else { return .environment }
        if isRevoked { return .revoked }
        if let expiresAt, expiresAt <= now { return .expired }
        return nil
    }

    /// Identifies the purchase in the store, which keeps no id of the App Store.
    var digest: [UInt8] {
        let text = "doorward/purchase/1\0\(environment ?? "")\0\(originalTransactionID)"
        return Array(SHA256.hash(data: Data(text.utf8)))
    }
}

extension TenancyUnitOfWork {
    /// - Returns: the user with the pack.
    fileprivate mutating func giveCompliancePack(to user: User) -> User {
        guard !user.hasCompliancePack else { return user }
        var changed = user
        (changed.hasCompliancePack, changed.updatedAt) = (true, now)
        // The pack lets its owner read the reports of these portfolios.
        let portfolios = directory.portfolios(whoseReportsReads: subject)
        apply(.putUser(changed))
        recordUpdate(from: user, to: changed, sharing: "hasCompliancePack", with: portfolios)
        return changed
    }
}

extension TenancyDirectory {
    /// The portfolios of which the subject's roles include a compliance report, of the portfolio or of a property.
    fileprivate func portfolios(whoseReportsReads subject: Subject) -> Set<PortfolioID> {
        let entities = subject.roleEntities.filter {
            SecurityService.allows(subject, .complianceReport, on: ManagedObject($0), in: self).isAllowed
        }
        return Set(entities.compactMap { path(of: $0).portfolioID })
    }
}
