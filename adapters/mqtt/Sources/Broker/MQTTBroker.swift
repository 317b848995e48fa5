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
    package var profiles: [String] = []
    /// Whether discovery runs.
    package var isDiscovering = false
}

extension MQTTBroker {
    /// The owner of this transport.
    var owner: TransportOwner { portfolioID.map { .portfolio($0) } ?? .gateway }
}

extension MQTTBroker {
    /// Resolves a configured broker, and reads the files that its settings name.
    ///
    /// - Parameter clientID: the MQTT client id of this gateway.
    /// - Throws: one sentence about a file that cannot be read, or a password file that other users can read.
    init(_ broker: MQTTConfiguration.Broker, clientID: String) throws(ConfigurationError) {
        let entry = broker.settings
        var settings = MQTTSettings(host: broker.address.host, port: broker.address.port, clientID: clientID)
        if broker.address.isEncrypted {
            settings.tls = MQTTSettings.TLS(authorityFile: try entry.readableFile("caFile"))
            if let certificate = try entry.readableFile("certificate"), let key = try entry.readableFile("privateKey") {
                settings.tls?.certificate = (certificate, key)
            }
        }
        if let name = try entry.line("usernameFile") {
            settings.user = MQTTSettings.User(name: name.reveal(), password: try entry.line("passwordFile"))
        }
        self.init(
            name: broker.name, settings: settings, portfolioID: broker.portfolio, profiles: broker.profiles,
            isDiscovering: broker.discovery)
    }
}

extension MQTTConfiguration {
    /// - Parameter known: the ids of all profiles, including those of the user's folders.
    /// - Throws: one sentence about the first configured profile that does not exist.
    func checkProfiles(known: some Collection<String>) throws(ConfigurationError) {
        for broker in brokers {
            guard let unknown = broker.profiles.first(where: { !known.contains($0) }) else { continue }
            let hint = nearestName(to: unknown, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw ConfigurationError(
                "\(broker.settings.subject("profiles")): there is no profile `\(unknown)`\(hint); `doorward profile list` "
                    + "names those that Doorward has, and `profiles.directories` is where others are looked for")
        }
    }
}
