import Configuration
import DoorwardDomain

extension GatewayConfiguration {
    /// One MQTT broker of the configuration, checked as far as the configuration alone can tell.
    struct Broker: Equatable, Sendable {
        /// What addresses of locks call it; no two have the same.
        var name: String
        var address: BrokerAddress
        /// The one authority whose word on the broker counts; `nil` for those that the system trusts. A PEM file, as all here.
        var caFile: String?
        /// The gateway's own certificate and its key; both or none.
        var certificate: String?
        var privateKey: String?
        /// Files that hold nothing but the name, or the password, that the gateway signs in with.
        var usernameFile: String?
        var passwordFile: String?
        /// Whose locks hang here; `nil` for nobody's yet: a super admin alone attaches from it.
        var portfolio: PortfolioID?
        /// Which kinds of locks to look for; empty for all that make themselves known.
        var profiles: [String] = []
        /// Whether to look for locks at all.
        var discovery = false
    }
}

extension GatewayConfiguration.Broker {
    /// Reads every entry of `mqtt`.
    ///
    /// - Throws: the first mistake in what belongs together.
    static func all(_ reader: ConfigReader, _ origins: [String: SettingOrigin]) throws(ConfigurationError) -> [Self] {
        let numbers = Set(origins.keys.compactMap(entryNumber))
        var brokers: [Self] = []
        for number in 0..<((numbers.max() ?? -1) + 1) {
            let entry = Entry(number: number, reader: reader, origins: origins)
            guard numbers.contains(number) else {
                throw ConfigurationError("\(Entry.origin(of: numbers.max(), origins)): there is no `mqtt.\(number)` before it")
            }
            let broker = try Self(entry)
            if let twin = brokers.firstIndex(where: { $0.name == broker.name }) {
                throw entry.mistake(at: "name", "is `\(broker.name)`, as `mqtt.\(twin).name` is; two brokers need two names")
            }
            brokers.append(broker)
        }
        return brokers
    }

    private static func entryNumber(_ path: String) -> Int? {
        let words = path.split(separator: ".")
        return words.count == 3 && words[0] == "mqtt" ? Int(words[1]) : nil
    }

    private init(_ entry: Entry) throws(ConfigurationError) {
        name = try entry.required("name")
        let url = try entry.required("url")
        guard let address = BrokerAddress(url) else { throw entry.mistake(at: "url", "is no broker's address") }
        self.address = address
        (caFile, certificate, privateKey) = (entry.text("caFile"), entry.text("certificate"), entry.text("privateKey"))
        (usernameFile, passwordFile) = (entry.text("usernameFile"), entry.text("passwordFile"))
        portfolio = entry.text("portfolio").flatMap { PortfolioID($0) }
        profiles = entry.texts("profiles")
        discovery = entry.flag("discovery")
        if !address.isEncrypted, let key = ["caFile", "certificate", "privateKey"].first(where: { entry.text($0) != nil }) {
            throw entry.mistake(
                at: key, "says something about TLS, but `\(entry.path("url"))` begins with mqtt://; write mqtts://")
        }
        try entry.requirePair("certificate", needs: "privateKey")
        try entry.requirePair("privateKey", needs: "certificate")
        try entry.requirePair("passwordFile", needs: "usernameFile")
    }
}

/// The settings of one entry of `mqtt`.
private struct Entry {
    let number: Int
    let reader: ConfigReader
    let origins: [String: SettingOrigin]

    func path(_ key: String) -> String { "mqtt.\(number).\(key)" }

    func text(_ key: String) -> String? { reader.string(forKey: ConfigKey(path(key))) }
    func texts(_ key: String) -> [String] { reader.stringArray(forKey: ConfigKey(path(key)), default: []) }
    func flag(_ key: String) -> Bool { reader.bool(forKey: ConfigKey(path(key)), default: false) }
    func origin(_ key: String) -> SettingOrigin { origins[path(key)] ?? .standard }

    func required(_ key: String) throws(ConfigurationError) -> String {
        guard let text = text(key) else {
            throw ConfigurationError("\(Self.origin(of: number, origins)): `\(path(key))` is missing")
        }
        return text
    }

    func requirePair(_ key: String, needs other: String) throws(ConfigurationError) {
        if text(key) != nil, text(other) == nil { throw mistake(at: key, "needs `\(path(other))` beside it") }
    }

    func mistake(at key: String, _ sentence: String) -> ConfigurationError {
        ConfigurationError("\(origin(key)): `\(path(key))` \(sentence)")
    }

    /// Where an entry was made, by the first of its keys.
    static func origin(of number: Int?, _ origins: [String: SettingOrigin]) -> SettingOrigin {
        let made = ConfigurationKey.all.compactMap { number.map($0.ofEntry)?.path }.filter { $0.hasPrefix("mqtt.") }
        return made.compactMap { origins[$0] }.first ?? .standard
    }
}
