import ArgumentParser

/// `doorward config`: what is said in the configuration.
struct ConfigGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a gateway's configuration.", subcommands: [ConfigCheck.self])
}
