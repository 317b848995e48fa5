public import Observation

/// Answers which modules the selected portfolio has, and what is left of its limits. Whatever is not known is *no*.
@MainActor public protocol SubscriptionProvider: AnyObject {
    /// The subscription of the selected portfolio; `nil` before it is loaded: every answer is *no*.
    var subscription: Doorward.Subscription? { get }
    /// Whether a module is on; by default as `subscription` says.
    func isFeatureAvailable(_ module: Doorward.Module) -> Bool
    /// Whether one more fits into a limit; by default as `subscription` says. A limit that does not apply is never reached.
    ///
    /// - Parameter currentCount: the number in use; `nil` for the number that the gateway states.
    func isWithinLimit(_ limit: Doorward.Limit, currentCount: Int?) -> Bool
    /// The number in use and the limit, such as 3 of 5; by default as `subscription` says. The limit is `nil` if there is none; the result
    /// is `nil` if nothing is loaded.
    func usage(of limit: Doorward.Limit) -> (used: Int, limit: Int?)?
}

extension SubscriptionProvider {
    /// Whether a module is on, as `subscription` says.
    public func isFeatureAvailable(_ module: Doorward.Module) -> Bool { subscription?.modules[module.rawValue] ?? false }

    /// Whether one more fits into a limit, as `subscription` says.
    public func isWithinLimit(_ limit: Doorward.Limit, currentCount: Int?) -> Bool {
        guard let usage = usage(of: limit) else { return false }
        return usage.limit.map { (currentCount ?? usage.used) < $0 } ?? true
    }

    /// Whether one more fits into a limit, by the number that the gateway states.
    public func isWithinLimit(_ limit: Doorward.Limit) -> Bool { isWithinLimit(limit, currentCount: nil) }

    /// The number in use and the limit, as `subscription` says.
    public func usage(of limit: Doorward.Limit) -> (used: Int, limit: Int?)? {
        subscription.map { ($0.usage[limit.usageKey] ?? 0, $0.limits[limit.rawValue]) }
    }
}

/// A module that is off, for a prompt to change the subscription.
public struct MissingFeature: Hashable, Sendable {
    /// The module.
    public let module: Doorward.Module
    /// The tier of the portfolio.
    public let tier: String
    /// Whether the person can change the subscription; if not, a super admin of the gateway can.
    public let canChangeSubscription: Bool

    public init(module: Doorward.Module, tier: String, canChangeSubscription: Bool) {
        (self.module, self.tier, self.canChangeSubscription) = (module, tier, canChangeSubscription)
    }
}

/// The subscriptions of the portfolios that the person has selected, each kept for five minutes.
@MainActor @Observable public final class SubscriptionService: SubscriptionProvider {
    /// How long a subscription is used without being read again.
    public static let maxAge = PermissionService.maxAge

    /// The selected portfolio.
    public private(set) var selectedPortfolioID: String?
    /// The subscription of the selected portfolio; `nil` before it is loaded.
    public private(set) var subscription: Doorward.Subscription?

    @ObservationIgnored private var cache: [String: (subscription: Doorward.Subscription, fetchedAt: Duration)] = [:]
    /// The number of reads that have begun.
    @ObservationIgnored private var reads = 0
    /// For each portfolio, the number of the read that is kept. An earlier one that answers later is out of date: it is ignored.
    @ObservationIgnored private var kept: [String: Int] = [:]
    /// The number of the last read that began before everything was forgotten.
    @ObservationIgnored private var forgotten = 0
    @ObservationIgnored private let source: any AccessSource
    @ObservationIgnored private let clock: any LiveClock
    @ObservationIgnored private let permissions: (any PermissionProvider)?

    package init(source: any AccessSource, clock: any LiveClock, permissions: (any PermissionProvider)? = nil) {
        (self.source, self.clock, self.permissions) = (source, clock, permissions)
    }

    /// What to say about a module that is off; `nil` if it is on, or if nothing is loaded.
    public func missingFeature(_ module: Doorward.Module) -> MissingFeature? {
        guard let subscription, !isFeatureAvailable(module), let portfolio = selectedPortfolioID else { return nil }
        let canChange = permissions?.can(.subscriptionChange, Doorward.SubjectReference.portfolio(portfolio)) ?? false
        return MissingFeature(module: module, tier: subscription.tier, canChangeSubscription: canChange)
    }

    /// Selects a portfolio and loads its subscription, unless it was read in the last five minutes.
    ///
    /// - Throws: the error of the request. Until a later request succeeds, every answer is *no*.
    public func select(portfolio id: String?) async throws {
        if selectedPortfolioID != id {
            selectedPortfolioID = id
            subscription = nil
        }
        guard let id else { return }
        if let known = cache[id], clock.uptime - known.fetchedAt < Self.maxAge {
            show(known.subscription)
        } else {
            subscription = nil
            try await refresh()
        }
    }

    /// Reads the subscription of the selected portfolio from the gateway.
    public func refresh() async throws {
        guard let id = selectedPortfolioID else { return }
        reads += 1
        let read = reads
        let subscription = try await source.subscription(of: id)
        guard read > max(forgotten, kept[id] ?? 0) else { return }
        keep(subscription, of: id, read: read)
    }

    /// Stores a subscription that the stream has sent. It is newer than any read that has begun.
    package func apply(_ subscription: Doorward.Subscription, of portfolioID: String) {
        keep(subscription, of: portfolioID, read: reads)
    }

    private func keep(_ subscription: Doorward.Subscription, of portfolioID: String, read: Int) {
        kept[portfolioID] = read
        cache[portfolioID] = (subscription, clock.uptime)
        if portfolioID == selectedPortfolioID { show(subscription) }
    }

    /// Forgets everything.
    package func clear() {
        (cache, kept, forgotten) = ([:], [:], reads)
        (selectedPortfolioID, subscription) = (nil, nil)
    }

    /// Forgets a subscription, such as after the gateway refused a request because a module is off.
    public func invalidate(portfolio id: String) {
        cache[id] = nil
        kept[id] = reads
        if id == selectedPortfolioID { subscription = nil }
    }

    private func show(_ new: Doorward.Subscription) { if subscription != new { subscription = new } }
}
