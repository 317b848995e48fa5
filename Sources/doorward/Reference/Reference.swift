import ArgumentParser
import DoorwardAdapterKit

/// `doorward reference`: writes the page of all commands, or the table of all configuration keys. For who works on Doorward, and in no
/// help.
struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the page of all commands, docs/command-line.md.", shouldDisplay: false)

    @Flag(help: "Print the table of docs/configuration.md instead.")
    var configuration = false

    func run() {
        StandardStream.output.write(
            configuration ? ConfigurationTable(adapters: ShippedAdapters.all).page + "\n" : ReferencePage.text)
    }
}
