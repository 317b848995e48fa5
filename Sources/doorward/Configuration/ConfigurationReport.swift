import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import FoundationEssentials
import Glibc
import Logging

/// What a configuration that has no mistake amounts to.
struct ConfigurationReport {
    private let configuration: GatewayConfiguration
    private let file: String?
    private let hasDatabase: Bool
    private let signingKey: (path: String, exists: Bool)
    /// What does not stop a start, and is perhaps not meant.
    let warnings: [String]

    /// Reads the files that the configuration names. Nothing is made, and neither the database nor a port is opened.
    ///
    /// - Parameter file: the configuration's; `nil` for none.
    /// - Throws: a failure with the sentence that `serve` would end with.
    init(of configuration: GatewayConfiguration, file: String?) throws {
        (self.configuration, self.file) = (configuration, file)
        try configuration.checkTLSFiles()
        do throws(StoreOpenError) { hasDatabase = try SQLiteStore.isFile(at: configuration.store.path) } catch {
            throw CommandFailure(error.description)
        }
        let key = TokenKeyFile(configuration)
        signingKey = (key.path, try key.check())
        let setup = try MQTTSetup(
            configuration, random: RandomSource(), logger: Logger(label: "doorward") { _ in SwiftLogNoOpLogHandler() })
        var warnings = setup.profileMistakes.map { "a profile is left out: \($0)" }
        if hasDatabase, !signingKey.exists {
            warnings.append(
                "\(key.path) does not exist: `serve` does not start if the database was ever served; restore it, or name its "
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
        self.warnings = warnings
    }

    private static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    private var address: String {
        let settings = HTTPSettings(configuration)
        return settings.ownAddress(port: settings.port)
    }

    /// For a person and in a pipe the same facts: one a line, its name before it.
    func lines(_ style: OutputStyle) -> [String] {
        let brokers = configuration.mqtt.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        func whether(_ exists: Bool, _ path: String) -> String { exists ? path : "\(path) (made by the first start)" }
        var facts: [[Table.Cell]] = [
            ["listens on", Table.Cell(address)], ["public URL", Table.Cell(configuration.gateway.publicURL)],
            ["database", Table.Cell(whether(hasDatabase, configuration.store.path))],
            ["signing key", Table.Cell(whether(signingKey.exists, signingKey.path))], ["brokers", Table.Cell(brokers)],
            ["profiles", Table.Cell(configuration.profileDirectories.joined(separator: ", "))],
            ["log", Table.Cell("\(configuration.log.level), \(configuration.log.format.rawValue)")],
        ]
        facts += warnings.map { [Table.Cell("warning", .yellow), Table.Cell($0)] }
        return ["\((file ?? "no file").printable): \(style.paint("ok", .green))"]
            + Table("", "", rows: facts).lines(style, withHeadings: false)
    }

    /// `{"configuration": {"file", "isOk", "address", "publicUrl", "database", "signingKey", "brokers", "profileDirectories",
    /// "logLevel", "logFormat", "warnings"}}`.
    var json: [UInt8] {
        let document = Document(
            file: file, address: address, publicUrl: configuration.gateway.publicURL,
            database: .init(path: configuration.store.path, exists: hasDatabase),
            signingKey: .init(path: signingKey.path, exists: signingKey.exists),
            brokers: configuration.mqtt.map { .init(name: $0.name, url: $0.address.description) },
            profileDirectories: configuration.profileDirectories, logLevel: configuration.log.level,
            logFormat: configuration.log.format.rawValue, warnings: warnings)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(["configuration": document])).map(Array.init) ?? []
    }

    private struct Document: Encodable {
        let file: String?
        let isOk = true
        let address: String
        let publicUrl: String?
        let database: NamedPath
        let signingKey: NamedPath
        let brokers: [Broker]
        let profileDirectories: [String]
        let logLevel: String
        let logFormat: String
        let warnings: [String]

        struct NamedPath: Encodable {
            let path: String
            let exists: Bool
        }

        struct Broker: Encodable {
            let name: String
            let url: String
        }
    }
}
