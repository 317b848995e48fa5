import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP

extension ConfigurationTable {
    /// Creates the table of the keys of the gateway and of its adapters. The file and the environment are checked against this
    /// table. A test checks that `docs/configuration.md` agrees with it.
    init(adapters: [any AdapterFactory]) {
        let sections = adapters.flatMap { $0.sections.flatMap(\.configurationKeys) }
        self.init(GatewayKey.first.map(\.key) + sections + GatewayKey.last.map(\.key))
    }

    /// The rows of the table of docs/configuration.md.
    var page: String { keys.map(\.row).joined(separator: "\n") }

    /// Variables that belong to commands other than `serve`.
    static let otherVariables: Set<String> = ["DOORWARD_SERVER", "DOORWARD_TOKEN", "DOORWARD_AS", "DOORWARD_CA_FILE"]
}

/// A key of the gateway's own sections, and the value that it sets. The key's default is the value in a new `GatewayConfiguration`.
struct GatewayKey: Sendable {
    let key: ConfigurationKey
    /// The path of the key that must be set beside this one; `nil` for none.
    private let needed: String?
    private let set: @Sendable (SettingValue, inout GatewayConfiguration) -> Void

    /// - Parameters:
    ///   - shownDefault: the default in the documentation, if it is not the one of a new configuration.
    ///   - description: the key's documentation; see `ConfigurationKey.description`.
    private init<Value>(
        _ path: String, _ place: any (WritableKeyPath<GatewayConfiguration, Value> & Sendable), _ type: SettingType,
        needs needed: String? = nil, shownDefault: String? = nil, _ description: String
    ) {
        let standard = SettingValue(content: GatewayConfiguration()[keyPath: place])
        // If a key requires another key, its default cannot be set alone, so the documentation does not show the default as code.
        key = ConfigurationKey(
            path, type, default: standard, shownDefault: shownDefault ?? (needed == nil ? nil : standard?.text),
            description: description)
        self.needed = needed
        set = { setting, configuration in
            // The type of the key must match the property that it sets; a test sets each key.
            if let value = setting.content as? Value { configuration[keyPath: place] = value }
        }
    }

    /// Puts the settings of all keys into a configuration.
    ///
    /// - Throws: an error for the first key that has no meaning without another one, which is not set.
    static func apply(_ settings: [String: Setting], to configuration: inout GatewayConfiguration) throws(ConfigurationError) {
        for row in first + last {
            guard let setting = settings[row.key.path] else { continue }
            if let needed = row.needed, settings[needed] == nil {
                throw ConfigurationError("\(setting.origin): `\(row.key.path)` needs `\(needed)` beside it")
            }
            row.set(setting.value, &configuration)
        }
    }

    /// The keys before those of the adapters, in the order of the documentation.
    static let first: [GatewayKey] = [
        GatewayKey(
            "gateway.name", \.http.gatewayName, .hostName,
            "the gateway's name, the issuer of its access tokens: letters, digits, dots, hyphens"),
        GatewayKey(
            "gateway.publicUrl", \.http.publicURL, .webAddress,
            "the address at which people open the gateway, for links: `https://…`"),
        GatewayKey("http.host", \.http.host, .text, "the address to listen on"),
        GatewayKey("http.port", \.http.port, .integer(0...65_535), "0 picks a free one, which the line `listening on …` names"),
        GatewayKey(
            "http.trustedProxies", \.http.trustedProxies, .addresses, shownDefault: "none",
            "addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted"),
        GatewayKey(
            "http.plainBehindProxy", \.isPlainBehindProxy, .boolean,
            "allows plain HTTP on other than loopback addresses, behind a proxy on another machine that terminates TLS"),
        GatewayKey(
            "http.maxConnections", \.http.maxConnections, .integer(16...65_536),
            "open connections, half of them reserved for signed-in clients; fewer if the limit on open files is low"),
        GatewayKey(
            "http.maxConnectionsPerAddress", \.http.maxConnectionsPerAddress, .integer(1...65_536),
            "connections of one IPv4 address or IPv6 /64; behind a trusted proxy, requests in progress of one client"),
        GatewayKey(
            "http.requestTimeoutSeconds", \.http.requestTimeout.inSeconds, .integer(5...600),
            "timeout for receiving a whole request, from its first byte to its last"),
        GatewayKey(
            "http.tls.certificate", \.http.tls.made.certificatePath, .text, needs: "http.tls.privateKey",
            "the certificate and its intermediates, a PEM file; read again every minute"),
        GatewayKey(
            "http.tls.privateKey", \.http.tls.made.privateKeyPath, .text, needs: "http.tls.certificate",
            "the certificate's key, a PEM file"),
        GatewayKey("store.path", \.store.path, .text, "the database file, on a local disk"),
        GatewayKey(
            "auth.accessTokenMinutes", \.http.accessTokenLifetime.inMinutes, .integer(1...1_440), "lifetime of an access token"),
        GatewayKey(
            "auth.refreshTokenDays", \.limits.refreshTokenLifetime.inDays, .integer(1...365),
            "how long a session lasts without being refreshed"),
        GatewayKey(
            "auth.signingKeyFile", \.signingKeyFile, .text, shownDefault: "`<store.path>.signing-key`",
            "the key that signs access tokens; created at the first start, mode 0600"),
        GatewayKey(
            "auth.passwordCost", \.limits.passwordCost, .integer(14...20),
            "the base-2 logarithm of scrypt's N: each step doubles time and memory (17: 128 MiB)"),
        GatewayKey(
            "limits.deniedPerMinute", \.limits.deniedPerMinute, .integer(1...100_000),
            "denied commands of one person; further ones are refused without a decision"),
        GatewayKey(
            "limits.signInFailuresPerMinute", \.limits.signInFailuresPerMinute, .integer(1...100_000),
            "failed sign-ins from one address (IPv6: one network of 64 bits); further ones are refused for a while"),
        GatewayKey(
            "commands.timeoutSeconds", \.http.commandTimeout.inSeconds, .integer(1...60),
            "the timeout of a command whose request has no `timeoutMs`"),
        GatewayKey(
            "clock.maxStepSeconds", \.limits.maxClockStep.inSeconds, .integer(3...3_600),
            "the largest step of the system clock that leaves it trusted; after a larger one guest accesses are denied"),
        GatewayKey(
            "audit.keyFile", \.audit.keyFile, .text, shownDefault: "`<store.path>.audit-key`",
            "the key that signs checkpoints of the access log; created at the first start, mode 0600"),
        GatewayKey(
            "audit.checkpointFile", \.audit.checkpointFile, .text, shownDefault: "`<store.path>.checkpoints`",
            "the signed checkpoints, best on another disk than the database; created at the first start"),
        GatewayKey(
            "audit.personKeyFile", \.audit.personKeyFile, .text, shownDefault: "`<store.path>.person-keys`",
            "the keys that encrypt personal data in the database; created at the first start, mode 0600, changed by erasures"),
        GatewayKey(
            "audit.checkpointRecords", \.audit.checkpointRecords, .integer(1...1_000_000),
            "new records of a log after which a checkpoint is signed"),
        GatewayKey(
            "audit.checkpointSeconds", \.audit.checkpointSeconds, .integer(1...86_400),
            "time after which a checkpoint is signed if there is any new record"),
        GatewayKey(
            "audit.witnesses", \.audit.witnesses, .witnesses, shownDefault: "none",
            "the public keys of at most 8 witnesses whose cosignatures of checkpoints are kept"),
        GatewayKey(
            "iap.rootCertificate", \.purchases.made.rootCertificate, .text, needs: "iap.bundleId",
            "the root certificate of signed purchases, a DER or PEM file; without it no purchase is accepted"),
        GatewayKey(
            "iap.bundleId", \.purchases.made.bundleID, .text, needs: "iap.rootCertificate",
            "the app whose purchases are accepted; needed beside the certificate"),
        GatewayKey(
            "iap.environments", \.purchases.made.environments, .environments, needs: "iap.rootCertificate",
            "the environments of the App Store whose purchases are accepted: `Production Sandbox Xcode LocalTesting`"),
    ]

    /// The keys after those of the adapters.
    static let last: [GatewayKey] = [
        GatewayKey(
            "backup.folder", \.backup.made.folder, .text,
            "the folder of the daily backups, best on another disk; without it there are none"),
        GatewayKey(
            "backup.at", \.backup.made.at, .timeOfDay, needs: "backup.folder",
            "the time of the backup, `hh:mm` in the time zone of the machine"),
        GatewayKey(
            "backup.keepDays", \.backup.made.keepDays, .integer(1...3_650), needs: "backup.folder",
            "how many days a backup is kept; older ones are deleted after a new one was checked"),
        GatewayKey(
            "metrics.tokenFile", \.metricsTokenFile, .text,
            "a file with the token that reads `/metrics` from another machine, on one line; mode 0600"),
        GatewayKey(
            "log.level", \.log.level, .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            "`trace debug info notice warning error critical`"),
        GatewayKey("log.format", \.log.format, .choice(["text", "json"]), "`text` or `json`, on standard error"),
    ]
}

extension SettingValue {
    /// The value, converted to the type of the property that it sets.
    fileprivate var content: Any {
        switch self {
        case .text(let text): text
        case .integer(let number): number
        case .boolean(let flag): flag
        case .texts(let texts): texts
        }
    }

    /// Returns `nil` for an optional without a value, and for the empty text of a key that must be set.
    fileprivate init?(content: Any) {
        switch content {
        case let text as String where !text.isEmpty: self = .text(text)
        case let number as Int: self = .integer(number)
        case let flag as Bool: self = .boolean(flag)
        case let texts as [String]: self = .texts(texts)
        default: return nil
        }
    }
}

extension Optional where Wrapped: GatewayConfiguration.OptionalSection {
    /// The section, which is created when its first key is set.
    fileprivate var made: Wrapped {
        get { self ?? Wrapped() }
        set { self = newValue }
    }
}

extension Duration {
    /// The duration as a number of whole seconds.
    fileprivate var inSeconds: Int {
        get { Int(components.seconds) }
        set { self = .seconds(newValue) }
    }
    /// The duration as a number of whole minutes.
    fileprivate var inMinutes: Int {
        get { inSeconds / 60 }
        set { inSeconds = newValue * 60 }
    }
    /// The duration as a number of days of 24 hours.
    fileprivate var inDays: Int {
        get { inSeconds / 86_400 }
        set { inSeconds = newValue * 86_400 }
    }
}

extension SettingType {
    /// `https://…` or `http://…`.
    fileprivate static let webAddress = SettingType.formatted(
        SettingFormat("a web address such as https://doors.example") { text in
            guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
            let rest = text.dropFirst(scheme.count)
            return !rest.isEmpty && !rest.hasPrefix("/") && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                && !rest.contains(where: { $0 == "?" || $0 == "#" })
        })

    /// `hh:mm`, from 00:00 to 23:59.
    fileprivate static let timeOfDay = SettingType.formatted(
        SettingFormat("a time of day such as 03:30, from 00:00 to 23:59") { text in
            text.utf8.count == 5 && DoorwardDomain.LocalTime(text).map { $0 < .endOfDay } == true
        })

    /// A list of IP addresses or networks: `10.0.0.1`, `10.0.0.0/8`.
    fileprivate static let addresses = SettingType.list(
        SettingFormat("a list of IP addresses or networks such as 10.0.0.0/8") { IPNetwork($0) != nil })

    /// A list of environments of the App Store.
    fileprivate static let environments = SettingType.list(
        SettingFormat("a list of Production, Sandbox, Xcode, LocalTesting") { text in
            ["Production", "Sandbox", "Xcode", "LocalTesting"].contains(text)
        })

    /// A list of public keys of witnesses, as C2SP signed-note writes them.
    fileprivate static let witnesses = SettingType.list(
        SettingFormat("a list of public keys of witnesses (`name+id+key`, algorithm 4)") { AuditSetup.isWitness($0) })
}
