import ArgumentParser
import DoorwardAdapterKit

/// `doorward reference`: prints docs/command-line.md, or the table of all configuration keys. For developers of Doorward, hidden in
/// the help.
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
