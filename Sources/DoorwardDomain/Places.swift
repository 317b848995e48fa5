/// The top level of the hierarchy: the properties, units and devices of one owner or company.
public struct Portfolio: Hashable, Sendable {
    /// The id of the portfolio and of its log. The log is kept after the portfolio is deleted.
    package let id: PortfolioID
    /// The display name; not unique.
    package var name: String
    /// The modules and limits of the portfolio.
    package var subscription: Subscription
    /// How long its access log is kept.
    package var retention: Retention
    /// When the portfolio was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the portfolio's own fields were last changed, not those of its properties, units or devices.
    package var updatedAt: Timestamp

    package init(
        id: PortfolioID, name: String, subscription: Subscription = .standard, retention: Retention = Retention(),
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.subscription, self.retention) = (id, name, subscription, retention)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// A building or site of a portfolio.
package struct Property: Hashable, Sendable {
    /// The id by which roles, units, devices and records refer to the property.
    package let id: PropertyID
    /// The display name, also visible to guests; not unique.
    package var name: String
    /// The portfolio that contains the property. It never changes.
    package let portfolioID: PortfolioID
    /// The postal address; `nil` if not given.
    package var address: PostalAddress?
    /// The default time zone of schedules: a validated IANA name.
    package var defaultTimeZone: String?
    /// The active lockdown; `nil` if there is none.
    package var lockdown: Lockdown?
    /// When the property was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the property's own fields were last changed, not its units, devices or roles.
    package var updatedAt: Timestamp

    package init(
        id: PropertyID, name: String, portfolioID: PortfolioID, address: PostalAddress? = nil, defaultTimeZone: String? = nil,
        lockdown: Lockdown? = nil, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.portfolioID, self.address) = (id, name, portfolioID, address)
        (self.defaultTimeZone, self.lockdown) = (defaultTimeZone, lockdown)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// The postal address of a property, as users entered it.
package struct PostalAddress: Hashable, Codable, Sendable {
    /// Street and house number. Like every field of the address, `nil` if not given.
    package var street: String?
    /// The town or village.
    package var city: String?
    /// The state or province, if the country has one.
    package var state: String?
    /// The postal code, in the country's own format. It is not validated.
    package var postalCode: String?
    /// The country, as free text and not as a code.
    package var country: String?

    package init(
        street: String? = nil, city: String? = nil, state: String? = nil, postalCode: String? = nil, country: String? = nil
    ) {
        (self.street, self.city, self.state) = (street, city, state)
        (self.postalCode, self.country) = (postalCode, country)
    }
}

/// An apartment, office or other space of a property.
package struct Unit: Hashable, Sendable {
    /// The id by which roles, devices and guest accesses refer to the unit.
    package let id: UnitID
    /// The display name, such as the name on the door plate; not unique.
    package var name: String
    /// The property that contains the unit. It never changes.
    package let propertyID: PropertyID
    /// The portfolio of the property. It is also stored here, so that roles on the portfolio are
    /// found without a lookup of the property.
    package let portfolioID: PortfolioID
    /// The common areas: devices assigned to the property itself that the unit's tenants may operate too, such as the front door.
    package var commonAreaAccessIDs: [DeviceID]
    /// When the unit was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the unit's own fields were last changed, not its tenants or devices.
    package var updatedAt: Timestamp

    package init(
        id: UnitID, name: String, propertyID: PropertyID, portfolioID: PortfolioID, commonAreaAccessIDs: [DeviceID] = [],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.propertyID, self.portfolioID) = (id, name, propertyID, portfolioID)
        (self.commonAreaAccessIDs, self.createdAt, self.updatedAt) = (commonAreaAccessIDs, createdAt, updatedAt)
    }
}

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
    /// Guest accesses. While it is off, no guest access is granted, and existing ones are denied.
    case guestAccess
    /// Recurring hours of guest accesses.
    case recurringSchedules
    /// Links for guests without an account.
    case guestLinks
    /// Several requests in one call. A lockdown does not need it.
    case bulkOperations
    /// Exports of the access log.
    case accessLogExport
    /// The compliance report.
    case complianceReport
    /// Notifications to other servers.
    case webhooks

    /// The modules that this version of the gateway has. The others are stored only.
    package static let available = allCases.filter { $0 != .webhooks }
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

/// How long the access log of a portfolio is kept.
package struct Retention: Hashable, Sendable {
    /// The number of days for which a record is kept, at least 1; `nil` for no limit.
    package var days: Int?
    /// Whether the log is under legal hold: nothing may be removed from it, regardless of `days`.
    package var legalHold: Bool

    package init(days: Int? = nil, legalHold: Bool = false) { (self.days, self.legalHold) = (days, legalHold) }
}

/// An active lockdown of a property. Its locks can be locked, but not unlocked or unlatched, except by an override of an owner or
/// portfolio admin.
package struct Lockdown: Hashable, Sendable {
    /// When it was started.
    package let since: Timestamp
    /// The user who started it.
    package let byUserID: UserID?
    /// The reason that the user gave. Personal: the user may have entered anything.
    package let reason: String?

    package init(since: Timestamp, byUserID: UserID?, reason: String? = nil) {
        (self.since, self.byUserID, self.reason) = (since, byUserID, reason)
    }
}
