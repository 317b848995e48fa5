import ArgumentParser
import DoorwardAdapterKit
import FoundationEssentials

/// The options that select the database, for every command that opens it.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: ArgumentHelp("The database file. (default: doorward.db)", valueName: "file"), completion: .file())
    var storePath: String?

    /// Returns the configuration from the file, the environment and these options. `options`
    /// contains the values of further options, keyed by the path of the configuration key.
    func configuration(_ options: [String: String?] = [:]) throws -> GatewayConfiguration {
        var flags = options.compactMapValues { $0 }
        flags["store.path"] = storePath
        return try GatewayConfiguration.load(file: config, flags: flags)
    }
}

extension GatewayConfiguration {
    /// Loads the configuration from the environment, the flags, and the file if there is one.
    ///
    /// - Parameter flags: the values of the flags, keyed by the path of the configuration key.
    static func load(file: String?, flags: [String: String] = [:]) throws(CommandFailure) -> GatewayConfiguration {
        do {
            return try ConfigurationSources(
                file: file, environment: ProcessInfo.processInfo.environment, flags: flags
            ).load()
        } catch {
            throw CommandFailure(error.description, code: error.isUsageError ? 2 : 1)
        }
    }
}
