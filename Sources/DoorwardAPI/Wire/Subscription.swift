extension Wire {
    /// The modules and limits of a portfolio.
    package struct Subscription: Decodable, Equatable, Sendable {
        /// The name of the tier; an open string.
        package var tier: String
        /// Whether each module is on, by its name, such as `guestLinks`.
        package var modules: [String: Bool]
        /// The limits by their names, such as `maxUnits`; a limit that is absent does not apply.
        package var limits: [String: Int]
        /// The number of `properties`, `units`, `devices` and `activeGuestAccess`.
        package var usage: [String: Int]
    }

    /// `data` of a response about a subscription.
    package struct SubscriptionAnswer: Decodable, Sendable {
        /// The subscription.
        package var subscription: Subscription
    }

    /// How long the access log of a portfolio is kept.
    package struct Retention: Decodable, Equatable, Sendable {
        /// The number of days; `nil` for no limit.
        package var days: Int?
        /// Whether nothing may be removed.
        package var legalHold: Bool
    }

    /// `data` of a response about a retention.
    package struct RetentionAnswer: Decodable, Sendable {
        /// The retention.
        package var retention: Retention
    }
}
