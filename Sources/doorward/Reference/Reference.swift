import ArgumentParser
import DoorwardAdapterKit

/// `doorward reference`: prints the page of all commands, which the package contains, its index docs/command-line.md, or the table of all
/// configuration keys. For developers of Doorward, hidden in the help.
struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the page of all commands.", shouldDisplay: false)

    @Flag(help: "Print docs/command-line.md, the list of the commands, instead.")
    var index = false

    @Flag(help: "Print the table of docs/configuration.md instead.")
    var configuration = false

    func run() {
        let page = configuration ? ConfigurationTable(adapters: ShippedAdapters.all).page + "\n" : nil
        StandardStream.output.write(page ?? (index ? ReferencePage.index : ReferencePage.text))
    }
}
