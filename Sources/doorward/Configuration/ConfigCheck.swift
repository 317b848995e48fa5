import ArgumentParser
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Glibc

/// `doorward config`: commands for the configuration.
struct ConfigGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a gateway's configuration.", subcommands: [ConfigCheck.self])
}

/// `doorward config check`: checks whether `serve` would accept a configuration.
struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration and the files that it names.",
        discussion: """
            Reads the file, the environment and the files that they name as `doorward serve` does: certificates, keys, user \
            names and passwords of brokers, profiles. The first mistake is reported as `serve` reports it, with exit code 1. It opens no \
            database, port or connection; a gateway may be running.

            Warnings do not prevent a start.

            Example: doorward config check --config doorward.yaml
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try ConfigurationReport(of: file.load(), file: file.config)
        output.print(json: report.json) { report.lines($0) }
    }
}

/// Summary of a valid configuration.
struct ConfigurationReport {
    private let file: String?
    private let log: GatewayConfiguration.Log
    /// What `serve` would use, in the order of the lines; a value that is not set is `null`.
    private var facts: [ConfigurationFact]
    /// Settings that do not prevent a start, but may be unintended.
    let warnings: [String]

    /// Reads the files that the configuration names. Creates no file, and opens neither the database nor a port.
    ///
    /// - Parameter file: the configuration file; `nil` for none.
    /// - Throws: the error with which `serve` would end.
    init(of configuration: GatewayConfiguration, file: String?) throws {
        (self.file, log) = (file, configuration.log)
        try configuration.checkTLSFiles()
        _ = try configuration.purchaseVerifier()
        _ = try configuration.metricsToken()
        let (http, database) = (configuration.http, configuration.store.path)
        let hasDatabase = try SQLiteStore.isFile(at: database)
        let hasPersonKeys = try SQLiteStore.hasPersonKeys(at: configuration.personKeyPath)
        let signingKey = SigningKeyFile.accessTokens(configuration)
        let auditKey = SigningKeyFile.checkpoints(configuration)
        let hasSigningKey = try signingKey.check()
        facts = [
            Self.fact("listens on", http.ownAddress(), field: "address"),
            Self.fact("public URL", http.publicURL, field: "publicUrl"),
            Self.fact("database", database, exists: hasDatabase, field: "database"),
            Self.fact("signing key", signingKey.path, exists: hasSigningKey, field: "signingKey"),
            Self.fact("audit key", auditKey.path, exists: try auditKey.check(), field: "auditKey"),
            Self.fact("person keys", configuration.personKeyPath, exists: hasPersonKeys, field: "personKeys"),
            Self.fact("checkpoints", configuration.checkpointPath, field: "checkpoints"), Self.backups(configuration),
        ]
        let adapters = try ConfiguredAdapters(configuration)
        facts += adapters.facts
        var warnings = try adapters.check()
        if hasDatabase, !hasSigningKey {
            warnings.append(
                "\(signingKey.path) does not exist: `serve` does not start if a gateway has used the database before; restore it, or "
                    + "name its place as auth.signingKeyFile")
        }
        if let key = http.tls?.privateKeyPath, Self.isOpenToOthers(key) {
            warnings.append("\(key): others than its owner can read this key; run `chmod 600 \(key)`")
        }
        if hasDatabase, Self.isOpenToOthers(database) {
            warnings.append("\(database): others than its owner can read the database; `serve` changes that")
        }
        if http.publicURL == nil {
            warnings.append("gateway.publicUrl is not set: links for new passwords lack the gateway's address")
        }
        if let folder = configuration.backupFolder, let problem = BackupFolder.problem(of: folder) {
            warnings.append("backup.folder: \(folder): \(problem)")
        }
        self.warnings = warnings
    }

    private static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    private static func fact(_ name: String, _ text: String?, field: String) -> ConfigurationFact {
        ConfigurationFact(name, text ?? "", field: field, text.map { .string($0) } ?? .null)
    }

    private static func fact(_ name: String, _ path: String, exists: Bool, field: String) -> ConfigurationFact {
        ConfigurationFact(
            name, exists ? path : "\(path) (made by the first start)", field: field,
            .object(["path": .string(path), "exists": .bool(exists)]))
    }

    private static func backups(_ configuration: GatewayConfiguration) -> ConfigurationFact {
        guard let backup = configuration.backup, let folder = configuration.backupFolder else {
            return fact("backups", nil, field: "backup")
        }
        return ConfigurationFact(
            "backups", "\(folder), daily at \(backup.at), kept for \(backup.keepDays) days", field: "backup",
            .object(["folder": .string(folder), "at": .string(backup.at), "keepDays": .integer(Int64(backup.keepDays))]))
    }

    /// Returns one line for each fact, the name of the fact first. The lines are the same on a terminal and in a pipe.
    func lines(_ style: OutputStyle) -> [String] {
        let rows =
            facts.map { [Table.Cell($0.name), Table.Cell($0.text)] } + [["log", Table.Cell("\(log.level), \(log.format)")]]
            + warnings.map { [Table.Cell("warning", .yellow), Table.Cell($0)] }
        return ["\((file ?? "no file").printable): \(style.paint("ok", .green))"]
            + Table("", "", rows: rows).lines(style, withHeadings: false)
    }

    /// `{"configuration": {"file", "isOk", "address", "publicUrl", "database", "signingKey", "auditKey", "personKeys",
    /// "backup", "checkpoints", "logLevel", "logFormat", "warnings"}}`, and the fields of the adapters: `brokers`, `profileDirectories`.
    var json: [UInt8] {
        var document: [String: JSONValue] = [
            "isOk": .bool(true), "logLevel": .string(log.level), "logFormat": .string(log.format),
            "warnings": .array(warnings.map { .string($0) }),
        ]
        document["file"] = file.map { .string($0) }
        for fact in facts where fact.value != .null { document[fact.field] = fact.value }
        return JSONOutput.document(["configuration": document])
    }
}
