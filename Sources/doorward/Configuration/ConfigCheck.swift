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

    @Option(
        help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let report = try ConfigurationReport(of: GatewayConfiguration.load(file: config), file: config)
        output.print(json: report.json) { report.lines($0) }
    }
}

/// Summary of a valid configuration.
struct ConfigurationReport {
    private let configuration: GatewayConfiguration
    private let file: String?
    private let hasDatabase: Bool
    private let signingKey: (path: String, exists: Bool)
    private let auditKey: (path: String, exists: Bool)
    private let hasPersonKeys: Bool
    private let adapterFacts: [ConfigurationFact]
    /// Settings that do not prevent a start, but may be unintended.
    let warnings: [String]

    /// Reads the files that the configuration names. Creates no file, and opens neither the database nor a port.
    ///
    /// - Parameter file: the configuration file; `nil` for none.
    /// - Throws: a failure with the message with which `serve` would end.
    init(of configuration: GatewayConfiguration, file: String?) throws {
        (self.configuration, self.file) = (configuration, file)
        try configuration.checkTLSFiles()
        _ = try configuration.purchaseVerifier()
        _ = try configuration.metricsToken()
        do throws(StoreOpenError) {
            hasDatabase = try SQLiteStore.isFile(at: configuration.store.path)
            hasPersonKeys = try SQLiteStore.hasPersonKeys(at: configuration.personKeyPath)
        } catch {
            throw CommandFailure(error.description)
        }
        let key = SigningKeyFile.accessTokens(configuration)
        let audit = SigningKeyFile.checkpoints(configuration)
        signingKey = (key.path, try key.check())
        auditKey = (audit.path, try audit.check())
        let adapters = try ConfiguredAdapters(configuration)
        adapterFacts = adapters.facts
        var warnings = try adapters.check()
        if hasDatabase, !signingKey.exists {
            warnings.append(
                "\(key.path) does not exist: `serve` does not start if a gateway has used the database before; restore it, or name its "
                    + "place as auth.signingKeyFile")
        }
        if let tls = configuration.http.tls, Self.isOpenToOthers(tls.privateKey) {
            warnings.append("\(tls.privateKey): others than its owner can read this key; run `chmod 600 \(tls.privateKey)`")
        }
        if hasDatabase, Self.isOpenToOthers(configuration.store.path) {
            warnings.append("\(configuration.store.path): others than its owner can read the database; `serve` changes that")
        }
        if configuration.gateway.publicURL == nil {
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

    private var backups: String? {
        guard let backup = configuration.backup, let folder = configuration.backupFolder else { return nil }
        return "\(folder), daily at \(backup.at), kept for \(backup.keepDays) days"
    }

    private var address: String {
        let settings = HTTPSettings(configuration)
        return settings.ownAddress(port: settings.port)
    }

    /// Returns one line for each fact, the name of the fact first. The lines are the same on a terminal and in a pipe.
    func lines(_ style: OutputStyle) -> [String] {
        func whether(_ exists: Bool, _ path: String) -> String { exists ? path : "\(path) (made by the first start)" }
        var facts: [[Table.Cell]] = [
            ["listens on", Table.Cell(address)], ["public URL", Table.Cell(configuration.gateway.publicURL)],
            ["database", Table.Cell(whether(hasDatabase, configuration.store.path))],
            ["signing key", Table.Cell(whether(signingKey.exists, signingKey.path))],
            ["audit key", Table.Cell(whether(auditKey.exists, auditKey.path))],
            ["person keys", Table.Cell(whether(hasPersonKeys, configuration.personKeyPath))],
            ["checkpoints", Table.Cell(configuration.checkpointPath)], ["backups", Table.Cell(backups)],
        ]
        facts += adapterFacts.map { [Table.Cell($0.name), Table.Cell($0.text)] }
        facts.append(["log", Table.Cell("\(configuration.log.level), \(configuration.log.format)")])
        facts += warnings.map { [Table.Cell("warning", .yellow), Table.Cell($0)] }
        return ["\((file ?? "no file").printable): \(style.paint("ok", .green))"]
            + Table("", "", rows: facts).lines(style, withHeadings: false)
    }

    /// `{"configuration": {"file", "isOk", "address", "publicUrl", "database", "signingKey", "auditKey", "personKeys",
    /// "backup", "checkpoints", "logLevel", "logFormat", "warnings"}}`, and the fields of the adapters: `brokers`, `profileDirectories`.
    var json: [UInt8] {
        func file(_ path: String, exists: Bool) -> JSONValue { .object(["path": .string(path), "exists": .bool(exists)]) }
        var document: [String: JSONValue] = [
            "isOk": .bool(true), "address": .string(address), "database": file(configuration.store.path, exists: hasDatabase),
            "signingKey": file(signingKey.path, exists: signingKey.exists),
            "auditKey": file(auditKey.path, exists: auditKey.exists),
            "personKeys": file(configuration.personKeyPath, exists: hasPersonKeys),
            "checkpoints": .string(configuration.checkpointPath),
            "logLevel": .string(configuration.log.level),
            "logFormat": .string(configuration.log.format), "warnings": .array(warnings.map { .string($0) }),
        ]
        document["file"] = self.file.map { .string($0) }
        document["publicUrl"] = configuration.gateway.publicURL.map { .string($0) }
        document["backup"] = configuration.backup.map { backup in
            .object([
                "folder": .string(configuration.backupFolder ?? backup.folder), "at": .string(backup.at),
                "keepDays": .integer(Int64(backup.keepDays)),
            ])
        }
        for fact in adapterFacts { document[fact.field] = fact.value }
        return JSONOutput.document(["configuration": document])
    }
}
