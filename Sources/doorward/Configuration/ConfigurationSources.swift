import DoorwardAdapterKit
import DoorwardDomain
import DoorwardHTTP
import DoorwardYAML
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
        let settings = fileSettings.merging(environmentSettings) { $1 }.merging(try flagSettings(table)) { $1 }
        var configuration = GatewayConfiguration()
        try GatewayKey.apply(settings, to: &configuration)
        configuration.origins = settings.mapValues(\.origin)
        configuration.adapters = AdapterSettings(adapters.flatMap(\.sections), settings)
        for adapter in adapters { _ = try adapter.configure(configuration.adapters.of(adapter.sections)) }
        try configuration.checkExposure()
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
}

extension GatewayConfiguration {
    /// Throws an error if the gateway would listen without TLS on an address other than a loopback
    /// address, unless a proxy that terminates TLS is configured.
    fileprivate func checkExposure() throws(ConfigurationError) {
        let isLoopback = IPAddress(http.host)?.isLoopback ?? (http.host == "localhost")
        guard http.tls == nil, !isPlainBehindProxy, !isLoopback else { return }
        throw ConfigurationError(
            "\(subject("http.host")) is `\(http.host)`, which is not a loopback address; "
                + "set `http.tls`, or `http.plainBehindProxy: true` behind a proxy that ends TLS, or a loopback address")
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
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ConfigurationError("\(path): the file cannot be read: \(Self.cause(of: error))")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError("\(path): the file is not UTF-8 text")
        }
        return text
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
        } catch {
            let error = error as? YamlError
            let line = error?.line(in: text).map { ", line \($0)" } ?? ""
            throw ConfigurationError("\(path)\(line): \(error?.sentence ?? "the file is not YAML")")
        }
    }

    private func collect(
        _ mapping: Node.Mapping, under section: String?, into settings: inout [String: Setting]
    ) throws(ConfigurationError) {
        for (name, value) in mapping {
            guard let word = name.scalar?.string else { throw ConfigurationError("\(origin(of: name)): a key must be a word") }
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
