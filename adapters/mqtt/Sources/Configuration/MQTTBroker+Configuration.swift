internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

extension MQTTBroker {
    /// A broker as the configuration has it, with what its files hold.
    ///
    /// - Parameter clientID: what the broker tells this gateway from others by.
    /// - Throws: one sentence about a file that cannot be read, or about a password that others can.
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
    /// - Parameter known: the profiles that there are, those of the user's folders too.
    /// - Throws: one sentence about the first profile that a broker is to look for and that there is not.
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
