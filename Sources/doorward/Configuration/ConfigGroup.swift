import ArgumentParser

/// `doorward config`: commands for the configuration.
struct ConfigGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a gateway's configuration.", subcommands: [ConfigCheck.self])
}
