import ArgumentParser

/// `doorward config check`: checks whether `serve` would accept a configuration.
struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration and the files that it names.",
        discussion: """
            Reads the file, the environment and the files that they name as `doorward serve` does: certificates, keys, user \
            names and passwords of brokers, profiles. The first mistake is reported as by `serve`, with exit code 1. It opens no \
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
