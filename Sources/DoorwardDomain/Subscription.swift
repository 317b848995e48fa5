/// The modules that a portfolio may use, and its limits. Decisions depend on these only, never on the tier's name.
package struct Subscription: Hashable, Sendable {
    /// The name of the tier that was chosen last. An open string: a name that `tiers` does not contain is valid.
    package var tier: String
    /// The modules that are on.
    package var modules: Set<SubscriptionModule>
    /// The limits; a limit that is absent does not apply.
    package var limits: [SubscriptionLimit: Int]

    package init(tier: String, modules: Set<SubscriptionModule>, limits: [SubscriptionLimit: Int] = [:]) {
        (self.tier, self.modules, self.limits) = (tier, modules, limits)
    }

    /// The modules that are on, in the order of `SubscriptionModule`.
    package var modulesInOrder: [SubscriptionModule] { SubscriptionModule.allCases.filter(modules.contains) }
}

/// A part of the product that a subscription can switch off. Raw values are those of the API.
package enum SubscriptionModule: String, CaseIterable, Sendable {
    /// Guest accesses. While it is off, none is granted, and existing ones are denied.
    case guestAccess
    /// Recurring hours of guest accesses.
    case recurringSchedules
    /// Links for guests without an account.
    case guestLinks
    /// Operations on several locks at once, except a lockdown.
    case bulkOperations
    /// Exports of the access log.
    case accessLogExport
    /// The compliance report.
    case complianceReport
    /// Notifications to other servers.
    case webhooks

    /// The modules that this version of the gateway has. The others are stored only.
    package static let available = allCases.filter { $0 != .bulkOperations && $0 != .webhooks }
}

/// A limit of a subscription. Raw values are those of the API.
package enum SubscriptionLimit: String, CaseIterable, Sendable {
    /// The number of properties.
    case maxProperties
    /// The number of units of all properties.
    case maxUnits
    /// The number of devices of all properties.
    case maxDevices
    /// The number of guest accesses that are neither revoked nor past their end.
    case maxActiveGuestAccess

    /// The name of the counted objects in `usage` of the API.
    package var counted: String {
        switch self {
        case .maxProperties: "properties"
        case .maxUnits: "units"
        case .maxDevices: "devices"
        case .maxActiveGuestAccess: "activeGuestAccess"
        }
    }
}

// The tiers as shipped. Choosing a tier copies its modules and limits into the portfolio's subscription.
extension Subscription {
    /// All shipped tiers, smallest first.
    package static let tiers = [free, standard, pro, enterprise]

    /// For a trial: one small property. The access log can be exported in every tier.
    package static let free = Subscription(
        tier: "free", modules: [.guestAccess, .accessLogExport],
        limits: [.maxProperties: 1, .maxUnits: 5, .maxDevices: 10, .maxActiveGuestAccess: 5])

    /// The tier of a new portfolio: all modules except the compliance report, and no limits.
    package static let standard = Subscription(
        tier: "standard", modules: Set(SubscriptionModule.allCases).subtracting([.complianceReport]))

    /// All modules, and no limits.
    package static let pro = Subscription(tier: "pro", modules: Set(SubscriptionModule.allCases))

    /// The same as `pro`, because there is no module yet that `pro` lacks.
    package static let enterprise = Subscription(tier: "enterprise", modules: Set(SubscriptionModule.allCases))
}
