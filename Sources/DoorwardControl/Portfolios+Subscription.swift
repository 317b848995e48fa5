package import DoorwardDomain
internal import DoorwardPolicy

// The subscription and the retention of a portfolio. Both are stored with the portfolio.
extension Portfolios {
    /// The subscription of a portfolio, and how much of its limits is used.
    ///
    /// - Throws: `.denied`; for a super admin `.notFound` if the portfolio does not exist.
    package func subscription(of id: PortfolioID, for caller: Caller) throws(GatewayError) -> ShownSubscription {
        let (tenancy, subject) = directory.resolve(caller)
        return tenancy.subscription(of: try tenancy.managed(id, by: subject, with: .subscriptionRead), at: clock.now())
    }

    /// Changes the subscription of a portfolio. When this returns, the new modules and limits apply to every decision.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    package func changeSubscription(
        _ caller: Caller, of id: PortfolioID, _ changes: SubscriptionChanges, onlyIf condition: Condition<Portfolio>? = nil
    ) async throws(GatewayError) -> ShownSubscription {
        try await change(caller, id, with: .subscriptionChange, onlyIf: condition) { portfolio in
            portfolio.subscription = changes.applied(to: portfolio.subscription)
        } result: { tenancy, portfolio, now in
            tenancy.subscription(of: portfolio, at: now)
        }
    }

    /// How long the access log of a portfolio is kept.
    ///
    /// - Throws: the errors of `subscription`.
    package func retention(of id: PortfolioID, for caller: Caller) throws(GatewayError) -> Retention {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.managed(id, by: subject, with: .subscriptionRead).retention
    }

    /// Changes how long the access log of a portfolio is kept; see `LogRetention`. When this returns, a legal hold is in force:
    /// no record is removed any more.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    package func changeRetention(
        _ caller: Caller, of id: PortfolioID, days: Patch<Int>, legalHold: Bool?, onlyIf condition: Condition<Portfolio>? = nil
    ) async throws(GatewayError) -> Retention {
        try await change(caller, id, with: .retentionChange, onlyIf: condition) { portfolio in
            portfolio.retention.days = days.applied(to: portfolio.retention.days)
            portfolio.retention.legalHold = legalHold ?? portfolio.retention.legalHold
        } result: { _, portfolio, _ in
            portfolio.retention
        }
    }

    private func change<Value: Sendable>(
        _ caller: Caller, _ id: PortfolioID, with permission: ManagementPermission, onlyIf condition: Condition<Portfolio>?,
        _ body: (inout Portfolio) -> Void, result: (TenancyDirectory, Portfolio, Timestamp) -> Value
    ) async throws(GatewayError) -> Value {
        try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in try tenancy.requireReach(of: subject, to: .portfolio(id)) },
            body: { (draft) throws(GatewayError) in
                let portfolio = try draft.directory.managed(id, by: draft.subject, with: permission)
                try draft.require(condition, of: portfolio)
                var changed = portfolio
                body(&changed)
                if changed != portfolio {
                    changed.updatedAt = draft.now
                    draft.apply(.putPortfolio(changed))
                    let (before, after) = Portfolio.fields.recordedChanges(from: portfolio, to: changed)
                    draft.note(.update, RecordTarget(changed), at: .portfolio(id), before: before, after: after)
                }
                return result(draft.directory, changed, draft.now)
            })
    }
}

/// A subscription with its usage.
package struct ShownSubscription: Sendable {
    /// The portfolio with the subscription, for its entity tag.
    package let portfolio: Portfolio
    /// The number of objects that count towards each limit, whether or not the limit applies.
    package let usage: [SubscriptionLimit: Int]
}

/// The changes of a subscription.
package struct SubscriptionChanges: Sendable {
    /// The tier to choose; `nil` keeps it. Choosing a shipped tier replaces all modules and limits by those of the tier; choosing
    /// another name changes only the name.
    package var tier: String?
    /// The modules to switch on or off; they take precedence over those of the tier.
    package var modules: [SubscriptionModule: Bool] = [:]
    /// The limits to change, `.cleared` for no limit; they take precedence over those of the tier.
    package var limits: [SubscriptionLimit: Patch<Int>] = [:]

    package init() {}

    fileprivate func applied(to subscription: Subscription) -> Subscription {
        var changed = Subscription.tiers.first { $0.tier == tier } ?? subscription
        changed.tier = tier ?? subscription.tier
        for (module, isOn) in modules {
            if isOn { changed.modules.insert(module) } else { changed.modules.remove(module) }
        }
        for (limit, value) in limits { changed.limits[limit] = value.applied(to: changed.limits[limit]) }
        return changed
    }
}

extension TenancyDirectory {
    /// - Throws: `.denied`, reduced to what the caller may see; `.notFound` for a super admin if the portfolio does not exist.
    fileprivate func managed(
        _ id: PortfolioID, by subject: Subject, with permission: ManagementPermission
    ) throws(GatewayError) -> Portfolio {
        guard let portfolio = portfolio(id) else { throw .outOfReach(of: subject) }
        try require(permission, of: subject, on: .portfolio(id))
        return portfolio
    }

    func subscription(of portfolio: Portfolio, at now: Timestamp) -> ShownSubscription {
        let counts = SubscriptionLimit.allCases.map { ($0, usage(of: $0, in: portfolio.id, at: now)) }
        return ShownSubscription(portfolio: portfolio, usage: Dictionary(uniqueKeysWithValues: counts))
    }
}

extension TenancyUnitOfWork {
    /// Requires that the subscription of a portfolio includes a module. To be called last, after all other checks.
    ///
    /// - Throws: `.featureUnavailable`; also if the portfolio does not exist.
    func require(_ module: SubscriptionModule, in portfolio: PortfolioID) throws(GatewayError) {
        guard directory.portfolio(portfolio)?.subscription.modules.contains(module) == true
        else { throw .featureUnavailable(module) }
    }

    /// Requires that a portfolio is within a limit. To be called last, after an object that counts towards it was added.
    ///
    /// - Throws: `.limitReached`, with the count without the added object.
    func requireWithin(_ limit: SubscriptionLimit, of portfolio: PortfolioID) throws(GatewayError) {
        guard let max = directory.portfolio(portfolio)?.subscription.limits[limit] else { return }
        let count = directory.usage(of: limit, in: portfolio, at: now)
        if count > max { throw .limitReached(limit, max: max, count: count - 1) }
    }
}
