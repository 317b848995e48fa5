import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT

extension MQTTBroker {
    /// A broker as the configuration has it, with what its files hold.
    ///
    /// - Parameter clientID: what the broker tells this gateway from others by.
    /// - Throws: `CommandFailure` for a file that cannot be read, or that others can.
    init(_ broker: GatewayConfiguration.Broker, clientID: String) throws {
        var settings = MQTTSettings(host: broker.address.host, port: broker.address.port, clientID: clientID)
        if broker.address.isEncrypted {
            settings.tls = MQTTSettings.TLS(authorityFile: broker.caFile)
            if let certificate = broker.certificate, let key = broker.privateKey {
                settings.tls?.certificate = (certificate, key)
            }
        }
        if let file = broker.usernameFile {
            let name = try SecretFile(path: file, meaning: "the user name for the broker `\(broker.name)`").text(isSecret: false)
            let password = try broker.passwordFile.map {
                try SecretFile(path: $0, meaning: "the password for the broker `\(broker.name)`").text(isSecret: true)
            }
            settings.user = MQTTSettings.User(name: name.reveal(), password: password)
        }
        self.init(
            name: broker.name, settings: settings, portfolioID: broker.portfolio, profiles: broker.profiles,
            isDiscovering: broker.discovery)
    }
}

extension GatewayConfiguration {
    /// - Parameter known: the profiles that there are, those of the user's folders too.
    /// - Throws: one sentence about the first profile that a broker is to look for and that there is not.
    func checkProfiles(known: some Collection<String>) throws(ConfigurationError) {
        for (number, broker) in mqtt.enumerated() {
            guard let unknown = broker.profiles.first(where: { !known.contains($0) }) else { continue }
            let hint = nearestName(to: unknown, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw ConfigurationError(
                "\(broker.profilesOrigin): `mqtt.\(number).profiles`: there is no profile `\(unknown)`\(hint); `doorward profile "
                    + "list` names those that Doorward has, and `profiles.directories` is where others are looked for")
        }
    }
}
