import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain

extension ConfigurationTable {
    /// Creates the table of the keys of the gateway and of its adapters. The file and the environment are checked against this
    /// table. A test checks that `docs/configuration.md` agrees with it.
    init(adapters: [any AdapterFactory]) {
        self.init(Self.gatewayKeys + adapters.flatMap { $0.sections.flatMap(\.configurationKeys) } + Self.logKeys)
    }

    /// The rows of the table of docs/configuration.md.
    var page: String { keys.map(\.row).joined(separator: "\n") }

    /// Variables that belong to commands other than `serve`.
    static let otherVariables: Set<String> = ["DOORWARD_SERVER", "DOORWARD_TOKEN", "DOORWARD_AS", "DOORWARD_CA_FILE"]

    private static let gatewayKeys = [
        ConfigurationKey(
            "gateway.name", .hostName, default: .text("doorward.local"),
            meaning: "the gateway's name, the issuer of its access tokens: letters, digits, dots, hyphens"),
        ConfigurationKey(
            "gateway.publicUrl", .webAddress, meaning: "the address at which people open the gateway, for links: `https://…`"),
        ConfigurationKey("http.host", .text, default: .text("127.0.0.1"), meaning: "the address to listen on"),
        ConfigurationKey(
            "http.port", .integer(0...65_535), default: .integer(8080),
            meaning: "0 picks a free one, which the line `listening on …` names"),
        ConfigurationKey(
            "http.trustedProxies", .addresses, shownDefault: "none",
            meaning: "addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted"),
        ConfigurationKey(
            "http.plainBehindProxy", .boolean, default: .boolean(false),
            meaning: "allows plain HTTP on other than loopback addresses, behind a proxy on another machine that terminates TLS"),
        ConfigurationKey(
            "http.maxConnections", .integer(16...65_536), default: .integer(4096),
            meaning: "open connections, half of them reserved for signed-in clients; fewer if the limit on open files is low"),
        ConfigurationKey(
            "http.maxConnectionsPerAddress", .integer(1...65_536), default: .integer(512),
            meaning: "connections of one IPv4 address or IPv6 /64; behind a trusted proxy, requests in progress of one client"),
        ConfigurationKey(
            "http.requestTimeoutSeconds", .integer(5...600), default: .integer(30),
            meaning: "timeout for receiving a whole request, from its first byte to its last"),
        ConfigurationKey(
            "http.tls.certificate", .text, meaning: "the certificate and its intermediates, a PEM file; read again every minute"),
        ConfigurationKey("http.tls.privateKey", .text, meaning: "the certificate's key, a PEM file"),
        ConfigurationKey("store.path", .text, default: .text("doorward.db"), meaning: "the database file, on a local disk"),
        ConfigurationKey(
            "auth.accessTokenMinutes", .integer(1...1_440), default: .integer(15), meaning: "lifetime of an access token"),
        ConfigurationKey(
            "auth.refreshTokenDays", .integer(1...365), default: .integer(30),
            meaning: "how long a session lasts without being refreshed"),
        ConfigurationKey(
            "auth.signingKeyFile", .text, shownDefault: "`<store.path>.signing-key`",
            meaning: "the key that signs access tokens; created at the first start, mode 0600"),
        ConfigurationKey(
            "auth.passwordCost", .integer(14...20), default: .integer(17),
            meaning: "the base-2 logarithm of scrypt's N: each step doubles time and memory (17: 128 MiB)"),
        ConfigurationKey(
            "limits.deniedPerMinute", .integer(1...100_000), default: .integer(20),
            meaning: "denied commands of one person; further ones are refused without a decision"),
        ConfigurationKey(
            "limits.signInFailuresPerMinute", .integer(1...100_000), default: .integer(20),
            meaning: "failed sign-ins from one address (IPv6: one network of 64 bits); further ones are refused for a while"),
        ConfigurationKey(
            "commands.timeoutSeconds", .integer(1...60), default: .integer(10),
            meaning: "the timeout of a command whose request has no `timeoutMs`"),
        ConfigurationKey(
            "clock.maxStepSeconds", .integer(3...3_600), default: .integer(60),
            meaning: "the largest step of the system clock that leaves it trusted; after a larger one guest accesses are denied"),
        ConfigurationKey(
            "audit.keyFile", .text, shownDefault: "`<store.path>.audit-key`",
            meaning: "the key that signs checkpoints of the access log; created at the first start, mode 0600"),
        ConfigurationKey(
            "audit.checkpointFile", .text, shownDefault: "`<store.path>.checkpoints`",
            meaning: "the signed checkpoints, best on another disk than the database; created at the first start"),
        ConfigurationKey(
            "audit.personKeyFile", .text, shownDefault: "`<store.path>.person-keys`",
            meaning:
                "the keys that encrypt personal data in the database; created at the first start, mode 0600, changed by erasures"),
        ConfigurationKey(
            "audit.checkpointRecords", .integer(1...1_000_000), default: .integer(256),
            meaning: "new records of a log after which a checkpoint is signed"),
        ConfigurationKey(
            "audit.checkpointSeconds", .integer(1...86_400), default: .integer(60),
            meaning: "time after which a checkpoint is signed if there is any new record"),
        ConfigurationKey(
            "audit.witnesses", .witnesses, shownDefault: "none",
            meaning: "the public keys of at most 8 witnesses whose cosignatures of checkpoints are kept"),
        ConfigurationKey(
            "iap.rootCertificate", .text,
            meaning: "the root certificate of signed purchases, a DER or PEM file; without it no purchase is accepted"),
        ConfigurationKey("iap.bundleId", .text, meaning: "the app whose purchases are accepted; needed beside the certificate"),
        ConfigurationKey(
            "iap.environments", .environments, shownDefault: "Production",
            meaning: "the environments of the App Store whose purchases are accepted: `Production Sandbox Xcode LocalTesting`"),
    ]

    private static let logKeys = [
        ConfigurationKey(
            "backup.folder", .text,
            meaning: "the folder into which the gateway backs itself up once a day, best on another disk; without it, it does not"
        ),
        ConfigurationKey(
            "backup.at", .timeOfDay, shownDefault: "03:30",
            meaning: "the time of the backup, `hh:mm` in the time zone of the machine"),
        ConfigurationKey(
            "backup.keepDays", .integer(1...3_650), shownDefault: "14",
            meaning: "how many days a backup is kept; older ones are deleted after a new one was found whole"),
        ConfigurationKey(
            "metrics.tokenFile", .text,
            meaning: "a file with the token that reads `/metrics` from another machine, on one line; mode 0600"),
        ConfigurationKey(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), default: .text("info"),
            meaning: "`trace debug info notice warning error critical`"),
        ConfigurationKey(
            "log.format", .choice(["text", "json"]), default: .text("text"), meaning: "`text` or `json`, on standard error"),
    ]
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
