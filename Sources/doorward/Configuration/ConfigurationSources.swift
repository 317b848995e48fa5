import Configuration
import DoorwardDomain

/// Where a configuration comes from: flags beat the environment, the environment beats the file.
struct ConfigurationSources {
    /// The YAML file; `nil` for none.
    var file: String?
    /// The process's variables; those that do not begin with `DOORWARD_` are none of ours.
    var environment: [String: String] = [:]
    /// Flags of the command line by the path of the key they set; never a secret.
    var flags: [String: String] = [:]

    /// - Throws: one sentence about the first mistake.
    func load() throws(ConfigurationError) -> GatewayConfiguration {
        let fileSettings = try fileSettings()
        let layers = [try flagSettings(), try environmentSettings(over: fileSettings), fileSettings]
        let origins = layers.reduce(into: [String: SettingOrigin]()) { origins, layer in
            origins.merge(layer.mapValues(\.origin)) { stronger, _ in stronger }
        }
        let reader = ConfigReader(providers: layers.map(Self.provider))
        var configuration = try GatewayConfiguration(reader, origins)
        configuration.origins = SettingOrigins(origins)
        try configuration.checkExposure(origins)
        return configuration
    }

    private func fileSettings() throws(ConfigurationError) -> [String: Setting] {
        guard let file else { return [:] }
        return try ConfigurationFile(path: file).settings()
    }

    private func flagSettings() throws(ConfigurationError) -> [String: Setting] {
        var settings: [String: Setting] = [:]
        for (path, text) in flags {
            guard let key = ConfigurationKey.byPath[path] else { continue }
            settings[path] = try Setting.checked(
                text, for: key, at: .flag("--\(path.split(separator: ".").joined(separator: "-"))"))
        }
        return settings
    }

    /// - Parameter file: what of a list stays as the file has it, where a variable sets one item.
    private func environmentSettings(over file: [String: Setting]) throws(ConfigurationError) -> [String: Setting] {
        var settings: [String: Setting] = [:]
        var items: [(key: ConfigurationKey, number: Int, setting: Setting)] = []
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("DOORWARD_") && !ConfigurationKey.otherVariables.contains(variable) {
            let origin = SettingOrigin.environment(variable)
            guard let (key, item) = ConfigurationKey.key(of: variable) else { throw Self.unknown(variable) }
            if let item {
                guard let content = key.form.content(of: [text]) else { throw Setting.mismatch(key, "`\(text)`", origin) }
                items.append((key, item, Setting(content: content, origin: origin)))
            } else {
                settings[key.path] = try Setting.checked(text, for: key, at: origin)
            }
        }
        for (key, number, item) in items.sorted(by: { $0.number < $1.number }) {
            let list = settings[key.path] ?? file[key.path]
            settings[key.path] = try item.placed(at: number, in: list, of: key)
        }
        return settings
    }

    private static func unknown(_ variable: String) -> ConfigurationError {
        let section = variable.dropFirst("DOORWARD_".count).prefix { $0 != "_" }.lowercased()
        if ConfigurationKey.reserved.contains(section) {
            return ConfigurationError(
                "environment variable \(variable): `\(section)` is not supported by this version of Doorward; unset it")
        }
        let known = ConfigurationKey.knownVariables(near: variable)
        let hint = nearestName(to: variable, among: known).map { "; did you mean \($0)?" } ?? ""
        return ConfigurationError("environment variable \(variable): this is not a key of the configuration\(hint)")
    }

    private static func provider(_ settings: [String: Setting]) -> any ConfigProvider {
        let values = settings.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue($1.content, isSecret: false)) }
        return InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))
    }
}

extension GatewayConfiguration {
    /// Reads what was set over the defaults. The values have been checked by the table of keys.
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
        commands.timeoutSeconds = reader.int(forKey: "commands.timeoutSeconds", default: commands.timeoutSeconds)
        mqtt = try Broker.all(reader, origins)
        profileDirectories = reader.stringArray(forKey: "profiles.directories", default: profileDirectories)
        log.level = reader.string(forKey: "log.level", default: log.level)
        log.format = reader.string(forKey: "log.format", as: Log.Format.self, default: log.format)
    }

    /// Certificate and key go together.
    private static func tls(_ reader: ConfigReader, _ origins: [String: SettingOrigin]) throws(ConfigurationError) -> TLS? {
        let paths = ["http.tls.certificate", "http.tls.privateKey"]
        let values = paths.map { reader.string(forKey: ConfigKey($0)) }
        switch (values[0], values[1]) {
        case (let certificate?, let privateKey?): return TLS(certificate: certificate, privateKey: privateKey)
        case (nil, nil): return nil
        case (nil, _):
            throw ConfigurationError("\(origins[paths[1], default: .standard]): `\(paths[1])` needs `\(paths[0])` beside it")
        case (_, nil):
            throw ConfigurationError("\(origins[paths[0], default: .standard]): `\(paths[0])` needs `\(paths[1])` beside it")
        }
    }

    /// Without TLS, passwords and tokens stay on this machine unless somebody has said that a proxy guards them.
    fileprivate func checkExposure(_ origins: [String: SettingOrigin]) throws(ConfigurationError) {
        let isLoopback = IPAddress(http.host)?.isLoopback ?? (http.host == "localhost")
        guard http.tls == nil, !http.plainBehindProxy, !isLoopback else { return }
        throw ConfigurationError(
            "\(origins["http.host", default: .standard]): `http.host` is `\(http.host)`, which other machines reach without TLS; "
                + "set `http.tls`, or `http.plainBehindProxy: true` behind a proxy that ends TLS, or a loopback address")
    }
}
