/// One key of the configuration: its path in the file, and what its value must be.
///
/// The table below is the only list of keys: file, environment and the page `docs/configuration.md` (by a test) follow it. An
/// `N` in a path stands for the number of an entry, from 0, in a list of sections.
struct ConfigurationKey: Sendable {
    /// Sections and name with dots: `http.port`.
    let path: String
    let form: SettingType

    init(_ path: String, _ form: SettingType) { (self.path, self.form) = (path, form) }

    /// `DOORWARD_HTTP_PORT`: upper case, an underscore between words.
    var variable: String {
        var name = "DOORWARD_"
        for character in path {
            if character.isUppercase, !name.hasSuffix("_") { name.append("_") }
            name.append(character == "." ? "_" : Character(character.uppercased()))
        }
        return name
    }

    static let all: [Self] = [
        Self("gateway.name", .hostName),
        Self("gateway.publicUrl", .webAddress),
        Self("http.host", .text),
        Self("http.port", .integer(0...65_535)),
        Self("http.trustedProxies", .addresses),
        Self("http.plainBehindProxy", .boolean),
        Self("http.maxConnections", .integer(16...65_536)),
        Self("http.maxConnectionsPerAddress", .integer(1...65_536)),
        Self("http.requestTimeoutSeconds", .integer(5...600)),
        Self("http.tls.certificate", .text),
        Self("http.tls.privateKey", .text),
        Self("store.path", .text),
        Self("auth.accessTokenMinutes", .integer(1...1_440)),
        Self("auth.refreshTokenDays", .integer(1...365)),
        Self("auth.signingKeyFile", .text),
        Self("auth.passwordCost", .integer(14...20)),
        Self("limits.deniedPerMinute", .integer(1...100_000)),
        Self("limits.signInFailuresPerMinute", .integer(1...100_000)),
        Self("commands.timeoutSeconds", .integer(1...60)),
        Self("mqtt.N.name", .hostName),
        Self("mqtt.N.url", .brokerAddress),
        Self("mqtt.N.caFile", .text),
        Self("mqtt.N.certificate", .text),
        Self("mqtt.N.privateKey", .text),
        Self("mqtt.N.usernameFile", .text),
        Self("mqtt.N.passwordFile", .text),
        Self("mqtt.N.portfolio", .id),
        Self("mqtt.N.profiles", .texts),
        Self("mqtt.N.discovery", .boolean),
        Self("profiles.directories", .texts),
        Self("log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"])),
        Self("log.format", .choice(["text", "json"])),
    ]

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// Every section, nested ones included: `http`, `http.tls`.
    static let sections: Set<String> = {
        var sections: Set<String> = []
        for key in all {
            let words = key.path.split(separator: ".")
            if words.contains("N") { continue }
            for count in 1..<words.count { sections.insert(words.prefix(count).joined(separator: ".")) }
        }
        return sections
    }()

    /// Sections that Doorward is known by, and that nothing in this version honours. They are refused, not ignored:
    /// whoever writes one relies on it. See docs/decisions/0010-refuse-keys-nothing-honours.md.
    static let reserved: Set<String> = ["audit", "clock", "iap"]

    /// Variables that belong to commands other than `serve`.
    static let otherVariables: Set<String> = ["DOORWARD_SERVER", "DOORWARD_TOKEN", "DOORWARD_AS", "DOORWARD_CA_FILE"]
}
