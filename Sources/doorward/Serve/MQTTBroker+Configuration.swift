import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT

extension MQTTBroker {
    /// A broker as the configuration has it, with what its files hold.
    ///
    /// - Parameters:
    ///   - number: which one of the configuration's it is, from 0.
    ///   - clientID: what the broker tells this gateway from others by.
    /// - Throws: one sentence about a file that cannot be read, or about a password that others can.
    init(
        _ broker: GatewayConfiguration.Broker, number: Int, _ origins: SettingOrigins, clientID: String
    ) throws(ConfigurationError) {
        func file(_ path: String, _ key: String) -> ConfiguredFile {
            ConfiguredFile(path: path, setting: origins.subject("mqtt.\(number).\(key)"))
        }
        var settings = MQTTSettings(host: broker.address.host, port: broker.address.port, clientID: clientID)
        if broker.address.isEncrypted {
            if let authority = broker.caFile { try file(authority, "caFile").requireReadable() }
            settings.tls = MQTTSettings.TLS(authorityFile: broker.caFile)
            if let certificate = broker.certificate, let key = broker.privateKey {
                try file(certificate, "certificate").requireReadable()
                try file(key, "privateKey").requireReadable()
                settings.tls?.certificate = (certificate, key)
            }
        }
        if let nameFile = broker.usernameFile {
            let name = try file(nameFile, "usernameFile").line(isSecret: false)
            var password: Secret<String>?
            if let path = broker.passwordFile { password = try file(path, "passwordFile").line(isSecret: true) }
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
                "\(origins.subject("mqtt.\(number).profiles")): there is no profile `\(unknown)`\(hint); `doorward profile list` "
                    + "names those that Doorward has, and `profiles.directories` is where others are looked for")
        }
    }
}
