import Configuration
import DoorwardAdapterKit
import DoorwardDomain
import FoundationEssentials
import Yams

/// Combines the sources of a configuration: flags override the environment, the environment overrides the file.
struct ConfigurationSources {
    /// The YAML file; `nil` for none.
    var file: String?
    /// The process's environment; only variables that begin with `DOORWARD_` are used.
    var environment: [String: String] = [:]
    /// The values of command-line flags, keyed by the path of the configuration key. A flag never contains a secret.
    var flags: [String: String] = [:]
    /// The adapters whose sections the configuration may contain.
    var adapters: [any AdapterFactory] = ShippedAdapters.all

    /// - Throws: an error about the first mistake.
    func load() throws(ConfigurationError) -> GatewayConfiguration {
        let table = ConfigurationTable(adapters: adapters)
        let fileSettings = if let file { try ConfigurationFile(path: file, table: table).settings() } else { [String: Setting]() }
        let environmentSettings = try table.settings(
            of: environment, except: ConfigurationTable.otherVariables, over: fileSettings)
        let layers = [try flagSettings(table), environmentSettings, fileSettings]
        let settings = layers.reduce(into: [String: Setting]()) { settings, layer in
            settings.merge(layer) { stronger, _ in stronger }
        }
        let origins = settings.mapValues(\.origin)
        let reader = ConfigReader(providers: layers.map(Self.provider))
        var configuration = try GatewayConfiguration(reader, origins)
        configuration.origins = SettingOrigins(origins)
        configuration.adapters = AdapterSettings(adapters.flatMap(\.sections), settings)
        for adapter in adapters { _ = try adapter.configure(configuration.adapters.of(adapter.sections)) }
        try configuration.checkExposure(origins)
        return configuration
    }

    private func flagSettings(_ table: ConfigurationTable) throws(ConfigurationError) -> [String: Setting] {
        var settings: [String: Setting] = [:]
        for (path, text) in flags {
            guard let key = table.key(at: path) else { continue }
            settings[path] = try Setting.checked(
                text, for: key, at: .flag("--\(path.split(separator: ".").joined(separator: "-"))"))
        }
        return settings
    }

    private static func provider(_ settings: [String: Setting]) -> any ConfigProvider {
        let values = settings.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue($1.value.content, isSecret: false)) }
        return InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))
    }
}

extension GatewayConfiguration {
    /// Reads the settings with their defaults. The values have already been checked against the list of keys.
    fileprivate init(_ reader: ConfigReader, _ origins: [String: SettingOrigin]) throws(ConfigurationError) {
        gateway.name = reader.string(forKey: "gateway.name", default: gateway.name)
        gateway.publicURL = reader.string(forKey: "gateway.publicUrl")
        http.host = reader.string(forKey: "http.host", default: http.host)
        http.port = reader.int(forKey: "http.port", default: http.port)
        http.trustedProxies = reader.stringArray(forKey: "http.trustedProxies", default: http.trustedProxies)
        http.plainBehindProxy = reader.bool(forKey: "http.plainBehindProxy", default: http.plainBehindProxy)
        http.maxConnections = reader.int(forKey: "http.maxConnections", default: http.maxConnections)
        http.maxConnectionsPerAddress = reader.int(
            forKey: "http.maxConnectionsPerAddress", default: http.maxConnectionsPerAddress)
        http.requestTimeoutSeconds = reader.int(forKey: "http.requestTimeoutSeconds", default: http.requestTimeoutSeconds)
        http.tls = try Self.tls(reader, origins)
        store.path = reader.string(forKey: "store.path", default: store.path)
        auth.accessTokenMinutes = reader.int(forKey: "auth.accessTokenMinutes", default: auth.accessTokenMinutes)
        auth.refreshTokenDays = reader.int(forKey: "auth.refreshTokenDays", default: auth.refreshTokenDays)
        auth.signingKeyFile = reader.string(forKey: "auth.signingKeyFile")
        auth.passwordCost = reader.int(forKey: "auth.passwordCost", default: auth.passwordCost)
        limits.deniedPerMinute = reader.int(forKey: "limits.deniedPerMinute", default: limits.deniedPerMinute)
        limits.signInFailuresPerMinute = reader.int(
            forKey: "limits.signInFailuresPerMinute", default: limits.signInFailuresPerMinute)
        clock.maxStepSeconds = reader.int(forKey: "clock.maxStepSeconds", default: clock.maxStepSeconds)
        commands.timeoutSeconds = reader.int(forKey: "commands.timeoutSeconds", default: commands.timeoutSeconds)
        audit.keyFile = reader.string(forKey: "audit.keyFile")
        audit.personKeyFile = reader.string(forKey: "audit.personKeyFile")
        audit.checkpointFile = reader.string(forKey: "audit.checkpointFile")
        audit.checkpointRecords = reader.int(forKey: "audit.checkpointRecords", default: audit.checkpointRecords)
        audit.checkpointSeconds = reader.int(forKey: "audit.checkpointSeconds", default: audit.checkpointSeconds)
        audit.witnesses = reader.stringArray(forKey: "audit.witnesses", default: audit.witnesses)
        purchases = try Self.purchases(reader, origins)
        backup = try Self.backup(reader, origins)
        metrics.tokenFile = reader.string(forKey: "metrics.tokenFile")
        log.level = reader.string(forKey: "log.level", default: log.level)
        log.format = reader.string(forKey: "log.format", as: Log.Format.self, default: log.format)
    }

    /// Returns the paths of the certificate and the key.
    private static func tls(_ reader: ConfigReader, _ origins: [String: SettingOrigin]) throws(ConfigurationError) -> TLS? {
        try pair("http.tls.certificate", "http.tls.privateKey", reader, origins).map {
            TLS(certificate: $0.0, privateKey: $0.1)
        }
    }

    private static func purchases(
        _ reader: ConfigReader, _ origins: [String: SettingOrigin]
    ) throws(ConfigurationError) -> Purchases? {
        let environments = "iap.environments"
        guard let (root, bundle) = try pair("iap.rootCertificate", "iap.bundleId", reader, origins) else {
            try refuse(environments, without: "iap.rootCertificate", origins)
            return nil
        }
        var purchases = Purchases(rootCertificate: root, bundleID: bundle)
        purchases.environments = reader.stringArray(forKey: ConfigKey(environments), default: purchases.environments)
        return purchases
    }

    private static func backup(_ reader: ConfigReader, _ origins: [String: SettingOrigin]) throws(ConfigurationError) -> Backup? {
        guard let folder = reader.string(forKey: "backup.folder") else {
            for key in ["backup.at", "backup.keepDays"] { try refuse(key, without: "backup.folder", origins) }
            return nil
        }
        var backup = Backup(folder: folder)
        backup.at = reader.string(forKey: "backup.at", default: backup.at)
        backup.keepDays = reader.int(forKey: "backup.keepDays", default: backup.keepDays)
        return backup
    }

    /// Throws an error if a key is set that has no meaning without another one, which is not.
    private static func refuse(
        _ key: String, without needed: String, _ origins: [String: SettingOrigin]
    ) throws(ConfigurationError) {
        guard let origin = origins[key] else { return }
        throw ConfigurationError("\(origin): `\(key)` needs `\(needed)` beside it")
    }

    /// Returns the values of two keys that must be set together; `nil` if neither is set.
    private static func pair(
        _ first: String, _ second: String, _ reader: ConfigReader, _ origins: [String: SettingOrigin]
    ) throws(ConfigurationError) -> (String, String)? {
        let keys = [first, second]
        let values = keys.map { reader.string(forKey: ConfigKey($0)) }
        switch (values[0], values[1]) {
        case (let one?, let other?): return (one, other)
        case (nil, nil): return nil
        case (nil, _):
            throw ConfigurationError("\(origins[keys[1], default: .standard]): `\(keys[1])` needs `\(keys[0])` beside it")
        case (_, nil):
            throw ConfigurationError("\(origins[keys[0], default: .standard]): `\(keys[0])` needs `\(keys[1])` beside it")
        }
    }

    /// Throws an error if the gateway would listen without TLS on an address other than a loopback
    /// address, unless a proxy that terminates TLS is configured.
    fileprivate func checkExposure(_ origins: [String: SettingOrigin]) throws(ConfigurationError) {
        let isLoopback = IPAddress(http.host)?.isLoopback ?? (http.host == "localhost")
        guard http.tls == nil, !http.plainBehindProxy, !isLoopback else { return }
        throw ConfigurationError(
            "\(origins["http.host", default: .standard]): `http.host` is `\(http.host)`, which is no loopback address; "
                + "set `http.tls`, or `http.plainBehindProxy: true` behind a proxy that ends TLS, or a loopback address")
    }
}

extension SettingValue {
    fileprivate var content: ConfigContent {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .int(number)
        case .boolean(let flag): .bool(flag)
        case .texts(let texts): .stringArray(texts)
        }
    }
}

/// Reads the settings of a YAML file, each with its line.
struct ConfigurationFile {
    let path: String
    /// The keys that the file can have.
    let table: ConfigurationTable

    /// - Returns: the checked settings by key path.
    /// - Throws: the first mistake in the file.
    func settings() throws(ConfigurationError) -> [String: Setting] {
        guard let root = try compose(text()) else { return [:] }
        guard let mapping = root.mapping else {
            throw ConfigurationError("\(origin(of: root)): the file must consist of `key: value` lines")
        }
        var settings: [String: Setting] = [:]
        try collect(mapping, under: nil, into: &settings)
        return settings
    }

    private func text() throws(ConfigurationError) -> String {
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ConfigurationError("\(path): the file is not UTF-8 text")
            }
            return text
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError("\(path): the file cannot be read: \(Self.cause(of: error))")
        }
    }

    private static func cause(of error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile: "it does not exist"
        case .fileReadNoPermission: "permission denied"
        default: "it is not a readable file"
        }
    }

    private func compose(_ text: String) throws(ConfigurationError) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw ConfigurationError(sentence(for: error))
        } catch {
            throw ConfigurationError("\(path): the file is not YAML")
        }
    }

    private func sentence(for error: YamlError) -> String {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            "\(path), line \(mark.line): not YAML: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, let context):
            "\(path), line \(context.mark.line): `\(duplicates.sorted().joined(separator: "`, `"))` occurs more than once"
        default:
            "\(path): not YAML: the file contains characters that YAML does not allow"
        }
    }

    private func collect(
        _ mapping: Node.Mapping, under section: String?, into settings: inout [String: Setting]
    ) throws(ConfigurationError) {
        for (name, value) in mapping {
            guard let word = name.scalar?.string else {
                throw ConfigurationError("\(origin(of: name)): a key must be a word")
            }
            let path = section.map { "\($0).\(word)" } ?? word
            if let key = table.key(at: path) {
                settings[path] = try setting(key, value, at: origin(of: name))
            } else if table.sections.contains(path) {
                guard let mapping = try subsection(value, path, at: origin(of: name)) else { continue }
                try collect(mapping, under: path, into: &settings)
            } else if table.lists.contains(path) {
                for (number, entry) in try entries(value, path, at: origin(of: name)).enumerated() {
                    try collect(entry, under: "\(path).\(number)", into: &settings)
                }
            } else {
                throw table.unknown(path, at: origin(of: name))
            }
        }
    }

    /// Returns the keys of a section; `nil` for an empty section.
    private func subsection(_ value: Node, _ path: String, at origin: SettingOrigin) throws(ConfigurationError) -> Node.Mapping? {
        if let mapping = value.mapping { return mapping }
        guard value.null != nil else { throw ConfigurationError("\(origin): `\(path)` must be a section with keys of its own") }
        return nil
    }

    /// Returns the entries of a list of sections.
    private func entries(_ value: Node, _ path: String, at origin: SettingOrigin) throws(ConfigurationError) -> [Node.Mapping] {
        if value.null != nil { return [] }
        var entries: [Node.Mapping] = []
        for entry in value.sequence ?? [value] {
            guard value.sequence != nil, let mapping = entry.mapping, !mapping.isEmpty else {
                throw ConfigurationError(
                    "\(value.sequence == nil ? origin : self.origin(of: entry)): `\(path)` must be a list of sections, each with "
                        + "keys of its own")
            }
            entries.append(mapping)
        }
        guard entries.count <= ConfigurationTable.maxEntries else {
            throw ConfigurationError("\(origin): `\(path)` has more than \(ConfigurationTable.maxEntries) entries")
        }
        return entries
    }

    private func setting(_ key: ConfigurationKey, _ value: Node, at origin: SettingOrigin) throws(ConfigurationError) -> Setting {
        if let sequence = value.sequence {
            let items = sequence.compactMap { $0.scalar?.string }
            guard items.count == sequence.count, let value = key.type.value(of: items) else {
                throw Setting.mismatch(key, key.type.isList ? "this one" : "a list", origin)
            }
            return Setting(value: value, origin: origin)
        }
        guard let scalar = value.scalar else { throw Setting.mismatch(key, "a section", origin) }
        guard value.null == nil else { throw Setting.mismatch(key, "nothing", origin) }
        guard !key.type.isList else { throw Setting.mismatch(key, "`\(scalar.string)`", origin) }
        let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
        guard !(isQuoted && key.type.isUnquoted) else { throw Setting.mismatch(key, "the text \"\(scalar.string)\"", origin) }
        return try Setting.checked(scalar.string, for: key, at: origin)
    }

    private func origin(of node: Node) -> SettingOrigin { .file(path, line: node.mark?.line ?? 1) }
}
