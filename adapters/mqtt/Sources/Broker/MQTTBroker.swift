internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT

/// A broker of the configuration: how to get there, and whose locks hang on it.
package struct MQTTBroker: Sendable {
    /// What addresses name it by.
    package var name: String
    /// How to connect.
    package var settings: MQTTSettings
    /// Whose locks these are; `nil` for a broker that only a super admin attaches from.
    package var portfolioID: PortfolioID?
    /// Ids of the profiles that discovery looks for.
    package var profiles: [String]
    /// Whether to look for locks that nobody has attached.
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
    /// Whose the way to its locks is.
    var owner: TransportOwner { portfolioID.map { .portfolio($0) } ?? .gateway }
}
