import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Logging
import Metrics

/// All settings of `doorward serve`, validated, with the defaults filled in.
struct GatewayConfiguration: Sendable {
    /// The server, the gateway's name and public address, and the lifetimes that the server needs.
    var http = HTTPSettings()
    /// Whether a proxy on another machine terminates TLS, so that plain HTTP is allowed on non-loopback addresses.
    var isPlainBehindProxy = false
    var limits = GatewayControl.Limits()
    var store = Store()
    /// The file of the token signing key; `nil` for a file in the database's folder.
    var signingKeyFile: String?
    var audit = Audit()
    /// `nil` if no purchases are accepted.
    var purchases: Purchases?
    /// The settings in the sections of the adapters; each adapter reads its own section.
    var adapters = AdapterSettings([], [:])
    /// `nil` if the gateway makes no daily backups.
    var backup: Backup?
    /// The file of the token with which programs on other machines read `/metrics`; `nil` for none.
    var metricsTokenFile: String?
    var log = Log()
    /// The origins of the explicit settings by the path of their key, for errors that are detected only when a setting is used.
    var origins: [String: SettingOrigin] = [:]

    /// A section that has no effect if none of its keys is set. An empty text in it belongs to a key that must be set.
    protocol OptionalSection: Sendable { init() }

    struct Store {
        /// The database file; relative to the working directory.
        var path = "doorward.db"
    }

    struct Audit {
        /// The file of the key that signs checkpoints; `nil` for a file in the database's folder.
        var keyFile: String?
        /// The file of the signed checkpoints; `nil` for a file in the database's folder.
        var checkpointFile: String?
        /// The file of the keys that encrypt personal data; `nil` for a file in the database's folder.
        var personKeyFile: String?
        /// The number of new records of a log after which a checkpoint is signed.
        var checkpointRecords = 256
        /// The maximum time from a new record to a checkpoint.
        var checkpointSeconds = 60
        /// The public keys of the witnesses.
        var witnesses: [String] = []
    }

    struct Purchases: OptionalSection {
        /// The path of a file in DER or PEM.
        var rootCertificate = ""
        var bundleID = ""
        var environments = ["Production"]
    }

    struct Backup: OptionalSection {
        /// The folder of the backups; relative to the working directory.
        var folder = ""
        /// The time of day, `hh:mm`, in the machine's time zone.
        var at = "03:30"
        /// How long a backup is kept.
        var keepDays = 14
    }

    struct Log {
        var level = "info"
        /// `text` or `json`.
        var format = "text"
    }
}

extension HTTPSettings.TLSFiles: GatewayConfiguration.OptionalSection {
    init() { self.init(certificatePath: "", privateKeyPath: "") }
}

extension GatewayConfiguration {
    /// The absolute path of the folder of the gateway's own backups; `nil` if it makes none.
    var backupFolder: String? {
        backup.map { BackupCommand.absolute($0.folder, from: FileManager.default.currentDirectoryPath) }
    }

    /// The gateway's own backups; `nil` if none are configured.
    func scheduledBackups(of control: GatewayControl, logger: Logger, metrics: any MetricsFactory) -> ScheduledBackups? {
        guard let backup, let folder = backupFolder, let at = DoorwardDomain.LocalTime(backup.at) else { return nil }
        return ScheduledBackups(
            BackupSchedule(at: at, zone: Self.hostZone(logger)), keepDays: backup.keepDays,
            in: BackupFolder(path: folder, personKeyFile: personKeyPath), by: control.backupService, clock: control.clock,
            logger: logger, metrics: metrics)
    }

    private static func hostZone(_ logger: Logger) -> TimeZoneRules {
        let variable = ProcessInfo.processInfo.environment["TZ"]
        if let rules = TimeZoneDatabase.system.hostRules(variable: variable) { return rules }
        logger.warning(
            "the time zone of this machine cannot be read; the time of backups is in UTC",
            metadata: ["from": "\(variable.map { "TZ=\($0)" } ?? "/etc/localtime")"])
        return TimeZoneDatabase.system.utc
    }
}

extension GatewayConfiguration {
    /// Returns the beginning of an error message about a setting: its origin and its key.
    func subject(_ key: String) -> String { "\(origins[key] ?? .standard): `\(key)`" }

    private func file(_ path: String, of key: String) -> ConfiguredFile {
        ConfiguredFile(path: path, setting: subject(key))
    }

    /// Reads the token of `/metrics`.
    ///
    /// - Returns: `nil` if none is configured.
    /// - Throws: an error that names the file, if it cannot be read, or can be read by other users.
    func metricsToken() throws(ConfigurationError) -> Secret<String>? {
        guard let metricsTokenFile else { return nil }
        return try file(metricsTokenFile, of: "metrics.tokenFile").line(isSecret: true)
    }

    /// Reads the root certificate of purchases.
    ///
    /// - Returns: `nil` if no purchases are accepted.
    /// - Throws: an error that names the file, if it cannot be read or contains no certificate.
    func purchaseVerifier() throws(ConfigurationError) -> AppStoreVerifier? {
        guard let purchases else { return nil }
        let root = file(purchases.rootCertificate, of: "iap.rootCertificate")
        try root.requireReadable()
        let rules = PurchaseRules(bundleID: purchases.bundleID, environments: Set(purchases.environments))
        guard let content = try? Data(contentsOf: URL(filePath: root.path)),
            let verifier = AppStoreVerifier(roots: Array(content), rules: rules)
        else { throw ConfigurationError("\(root.setting): the file `\(root.path)` contains no certificate in DER or PEM") }
        return verifier
    }

    /// Checks the certificate and the key for HTTPS.
    ///
    /// - Throws: an error that names the first file that cannot be read or used.
    func checkTLSFiles() throws(ConfigurationError) {
        guard let tls = http.tls else { return }
        let certificate = file(tls.certificatePath, of: "http.tls.certificate")
        let key = file(tls.privateKeyPath, of: "http.tls.privateKey")
        try certificate.requireReadable()
        try key.requireReadable()
        do throws(HTTPSettings.TLSFiles.Problem) {
            try tls.check()
        } catch {
            let sentence =
                switch error {
                case .noCertificate: "\(certificate.setting): the file `\(certificate.path)` contains no certificate in PEM"
                case .noPrivateKey: "\(key.setting): the file `\(key.path)` contains no unencrypted private key in PEM"
                case .mismatch:
                    "\(key.setting): the key `\(key.path)` does not belong to the certificate `\(certificate.path)`"
                }
            throw ConfigurationError(sentence)
        }
    }
}
