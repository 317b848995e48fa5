import ArgumentParser

/// `doorward reference`: writes the page of all commands. For who works on Doorward, and in no help.
struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the page of all commands, docs/command-line.md.", shouldDisplay: false)

    func run() { StandardStream.output.write(ReferencePage.text) }
}
