internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT
internal import FoundationEssentials

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

/// The address of an MQTT broker, parsed from its URL.
package struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
    /// A name or an IP address; IPv6 without brackets.
    package let host: String
    /// The port of the URL, by default 1883, or 8883 with TLS.
    package let port: Int
    /// Whether the URL is `mqtts://`.
    package let isEncrypted: Bool

    /// The URL, always with the port.
    package var description: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// - Returns: `nil` unless the text is `mqtt://` or `mqtts://` with a host and an optional port.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["mqtt", "mqtts"].contains(scheme),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.path.isEmpty || parts.path == "/", (1...65_535).contains(parts.port ?? 1)
        else { return nil }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        isEncrypted = scheme == "mqtts"
        port = parts.port ?? (isEncrypted ? 8883 : 1883)
    }
}
