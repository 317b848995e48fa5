import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Logging
import Metrics

/// All settings of `doorward serve`, validated, with the defaults filled in.
struct GatewayConfiguration: Equatable, Sendable {
    var gateway = Identity()
    var http = HTTP()
    var store = Store()
    var auth = Auth()
    var limits = Limits()
    var commands = Commands()
    var clock = Clock()
    var audit = Audit()
    /// `nil` if no purchases are accepted.
    var purchases: Purchases?
    /// The settings in the sections of the adapters; each adapter reads its own section.
    var adapters = AdapterSettings([], [:])
    /// `nil` if the gateway makes no daily backups.
    var backup: Backup?
    var metrics = Metrics()
    var log = Log()
    /// The origins of the settings, for errors that are detected only when a setting is used.
    var origins = SettingOrigins()

    /// A section that has no effect if none of its keys is set. An empty text in it belongs to a key that must be set.
    protocol OptionalSection: Equatable, Sendable { init() }

    struct Identity: Equatable, Sendable {
        /// The issuer of the gateway's access tokens.
        var name = "doorward.local"
        /// The gateway's public address; `nil` if none is configured.
        var publicURL: String?
    }

    struct HTTP: Equatable, Sendable {
        var host = "127.0.0.1"
        /// The port of the HTTP server. For 0 the system chooses a free port.
        var port = 8080
        /// Addresses and networks whose `X-Forwarded-For` header is trusted.
        var trustedProxies: [String] = []
        /// Whether a proxy on another machine terminates TLS, so that plain HTTP is allowed on non-loopback addresses.
        var plainBehindProxy = false
        /// Maximum number of connections. It is reduced at the start if the limit on open files does not allow so many.
        var maxConnections = 4096
        /// Maximum number of connections for each IPv4 address or IPv6 /64 network.
        var maxConnectionsPerAddress = 512
        /// Maximum time from the first byte of a request to its last.
        var requestTimeoutSeconds = 30
        var tls: TLS?
    }

    /// Paths of PEM files.
    struct TLS: OptionalSection {
        var certificate = ""
        var privateKey = ""
    }

    struct Store: Equatable, Sendable {
        /// The database file; relative to the working directory.
        var path = "doorward.db"
    }

    struct Auth: Equatable, Sendable {
        var accessTokenMinutes = 15
        var refreshTokenDays = 30
        /// The file of the token signing key; `nil` for a file in the database's folder.
        var signingKeyFile: String?
        /// The base-2 logarithm of scrypt's N.
        var passwordCost = 17
    }

    struct Limits: Equatable, Sendable {
        var deniedPerMinute = 20
        var signInFailuresPerMinute = 20
    }

    struct Commands: Equatable, Sendable {
        var timeoutSeconds = 10
    }

    struct Clock: Equatable, Sendable {
        /// The largest step of the wall clock that leaves it trusted.
        var maxStepSeconds = 60
    }

    struct Audit: Equatable, Sendable {
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

    struct Metrics: Equatable, Sendable {
        /// The file of the token with which programs on other machines read `/metrics`; `nil` for none.
        var tokenFile: String?
    }

    struct Log: Equatable, Sendable {
        var level = "info"
        /// `text` or `json`.
        var format = "text"
    }
}

/// The origins of all settings. They do not affect equality: configurations with the same values are equal.
struct SettingOrigins: Equatable, Sendable {
    private let byPath: [String: SettingOrigin]

    /// - Parameter byPath: the explicit settings, by the path of the key.
    init(_ byPath: [String: SettingOrigin] = [:]) { self.byPath = byPath }

    /// Returns the beginning of an error message about a setting: its origin and its key.
    func subject(_ path: String) -> String { "\(byPath[path] ?? .standard): `\(path)`" }

    static func == (_: Self, _: Self) -> Bool { true }
}

extension GatewayConfiguration {
    /// The absolute path of the folder of the gateway's own backups; `nil` if it makes none.
    var backupFolder: String? {
        backup.map { BackupCommand.absolute($0.folder, from: FileManager.default.currentDirectoryPath) }
    }

    /// The gateway's own backups; `nil` if none are configured.
    func scheduledBackups(
        of control: GatewayControl, logger: Logger, metrics: any MetricsFactory
    ) -> ScheduledBackups? {
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
    /// Reads the token of `/metrics`.
    ///
    /// - Returns: `nil` if none is configured.
    /// - Throws: a failure that names the file, if it cannot be read, or can be read by other users.
    func metricsToken() throws(CommandFailure) -> Secret<String>? {
        guard let path = metrics.tokenFile else { return nil }
        do throws(ConfigurationError) {
            return try ConfiguredFile(path: path, setting: origins.subject("metrics.tokenFile")).line(isSecret: true)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

extension GatewayConfiguration {
    /// Reads the root certificate of purchases.
    ///
    /// - Returns: `nil` if no purchases are accepted.
    /// - Throws: a failure that names the file, if it cannot be read or contains no certificate.
    func purchaseVerifier() throws(CommandFailure) -> AppStoreVerifier? {
        guard let purchases else { return nil }
        let subject = origins.subject("iap.rootCertificate")
        do throws(ConfigurationError) {
            try ConfiguredFile(path: purchases.rootCertificate, setting: subject).requireReadable()
        } catch {
            throw CommandFailure(error.description)
        }
        let rules = PurchaseRules(bundleID: purchases.bundleID, environments: Set(purchases.environments))
        guard let file = try? Data(contentsOf: URL(filePath: purchases.rootCertificate)),
            let verifier = AppStoreVerifier(roots: Array(file), rules: rules)
        else {
            throw CommandFailure("\(subject): the file `\(purchases.rootCertificate)` contains no certificate in DER or PEM")
        }
        return verifier
    }
}

extension GatewayConfiguration {
    /// Checks the certificate and the key for HTTPS.
    ///
    /// - Throws: a failure that names the first file that cannot be read or used.
    func checkTLSFiles() throws(CommandFailure) {
        guard let tls = http.tls else { return }
        let subjects = ["certificate", "privateKey"].map { origins.subject("http.tls.\($0)") }
        do throws(ConfigurationError) {
            try ConfiguredFile(path: tls.certificate, setting: subjects[0]).requireReadable()
            try ConfiguredFile(path: tls.privateKey, setting: subjects[1]).requireReadable()
        } catch {
            throw CommandFailure(error.description)
        }
        do throws(HTTPSettings.TLSFiles.Problem) {
            try HTTPSettings.TLSFiles(certificatePath: tls.certificate, privateKeyPath: tls.privateKey).check()
        } catch {
            switch error {
            case .noCertificate:
                throw CommandFailure("\(subjects[0]): the file `\(tls.certificate)` contains no certificate in PEM")
            case .noPrivateKey:
                throw CommandFailure("\(subjects[1]): the file `\(tls.privateKey)` contains no unencrypted private key in PEM")
            case .mismatch:
                throw CommandFailure(
                    "\(subjects[1]): the key `\(tls.privateKey)` does not belong to the certificate `\(tls.certificate)`")
            }
        }
    }
}
