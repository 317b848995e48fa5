import ArgumentParser
import DoorwardAdapterKit

/// `doorward reference`: prints the page of all commands, which the package contains, its index docs/command-line.md, or the table of all
/// configuration keys. For developers of Doorward, hidden in the help.
struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the page of all commands.", shouldDisplay: false)

    @Flag(help: "Print docs/command-line.md, the list of the commands, instead.")
    var index = false

    @Flag(help: "Print the table of docs/configuration.md instead.")
    var configuration = false

    func run() {
        let page = configuration ? ConfigurationTable(adapters: ShippedAdapters.all).page + "\n" : nil
        StandardStream.output.write(page ?? (index ? ReferencePage.index : ReferencePage.text))
    }
}

/// The page of the command line, with the help of every command, and its index docs/command-line.md.
struct ReferencePage {
    /// The line width of the help.
    static let columns = 100

    /// The page as Markdown.
    static var text: String {
        let sections = entries.map { entry in
            let help = DoorwardCommand.helpMessage(for: entry.command, includeHidden: false, columns: columns)
            // Without the spaces at the ends of lines, and the empty lines at the end.
            let lines = help.replacing(#/ +$/#.anchorsMatchLineEndings(), with: "").reversed().drop { $0 == "\n" }.reversed()
            return "## \(entry.name)\n\n```text\n\(String(lines))\n```"
        }
        let contents = table { "[`\($0)`](#\($0.replacing(" ", with: "-")))" }
        return ([top, contents] + sections).joined(separator: "\n\n") + "\n"
    }

    /// The list of the commands, with a sentence for each.
    static var index: String {
        let start = """
            # Command line

            What each command does. `doorward help COMMAND` prints its options, `doorward reference` all of them as one page, which the Debian \
            package has as `/usr/share/doc/doorward/command-line.md`. There are [completions](completions.md) for bash, zsh and fish.

            """
        return [start + "\n" + usage, table { "`\($0)`" }].joined(separator: "\n\n") + "\n"
    }

    /// A table of all commands.
    private static func table(_ name: (String) -> String) -> String {
        let rows = entries.map { "| \(name($0.name)) | \($0.command.configuration.abstract) |" }
        return (["| command | does |", "|---|---|"] + rows).joined(separator: "\n")
    }

    private static let top = """
        # Command line

        The help of every command, as `doorward help COMMAND` prints it. There are [completions](completions.md) for bash, zsh and fish.

        \(usage)
        """

    private static let usage = """
        On a terminal, output is a table that fits the window, with colour unless `NO_COLOR` is set, and times are local. Ids are \
        shortened, and texts that do not fit are truncated with `…` or left out; `--wide` shows everything. A command that takes an id \
        also takes its first six or more characters, if no other object that you may see has an id with the same beginning. In a pipe, \
        output has one line per object with a tab between its fields, and times are in UTC. `--json` prints one JSON document instead: \
        for a command that calls the API, the `data` of the response.
        """

    private struct Entry {
        let name: String
        let command: any ParsableCommand.Type
    }

    /// All commands shown in the help, in the order of the help, each before its subcommands.
    private static var entries: [Entry] { entries(of: DoorwardCommand.self, name: "doorward") }

    private static func entries(of command: any ParsableCommand.Type, name: String) -> [Entry] {
        var entries = [Entry(name: name, command: command)]
        let configuration = command.configuration
        for subcommand in configuration.groupedSubcommands.flatMap({ $0.subcommands }) + configuration.ungroupedSubcommands {
            guard subcommand.configuration.shouldDisplay else { continue }
            entries += self.entries(of: subcommand, name: "\(name) \(subcommand._commandName)")
        }
        return entries
    }
}
