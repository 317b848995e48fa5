internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT

/// A configured broker: its connection settings, and the owner of its locks.
package struct MQTTBroker: Sendable {
    /// The name by which addresses refer to the broker.
    package var name: String
    /// The connection settings.
    package var settings: MQTTSettings
    /// The portfolio that owns the broker's locks; `nil` for a broker from which only a super admin attaches locks.
    package var portfolioID: PortfolioID?
    /// Ids of the profiles for which discovery runs.
    package var profiles: [String]
    /// Whether discovery runs.
    package var isDiscovering: Bool

    package init(
        name: String, settings: MQTTSettings, portfolioID: PortfolioID? = nil, profiles: [String] = [],
        isDiscovering: Bool = false
    ) {
        (self.name, self.settings, self.portfolioID) = (name, settings, portfolioID)
        (self.profiles, self.isDiscovering) = (profiles, isDiscovering)
    }
}

extension MQTTBroker {
    /// The owner of this transport.
    var owner: TransportOwner { portfolioID.map { .portfolio($0) } ?? .gateway }
}
