import ArgumentParser

/// The page docs/command-line.md: the help of every command.
struct ReferencePage {
    /// The line width of the help.
    static let columns = 100

    /// The page as Markdown.
    static var text: String {
        let entries = self.entries
        let contents = entries.map { entry in
            "| [`\(entry.name)`](#\(entry.name.replacing(" ", with: "-"))) | \(entry.command.configuration.abstract) |"
        }
        let sections = entries.map { entry in
            let help = Doorward.helpMessage(for: entry.command, includeHidden: false, columns: columns)
            return "## \(entry.name)\n\n```text\n\(trimmed(help))\n```"
        }
        return ([top] + [(["| command | does |", "|---|---|"] + contents).joined(separator: "\n")] + sections)
            .joined(separator: "\n\n") + "\n"
    }

    private static let top = """
        # Command line

        The help of every command, as `doorward help COMMAND` prints it. This page is written by the program:
        `doorward reference > docs/command-line.md`. [Completions](completions.md) for bash, zsh and fish are made by it, too.

        In a terminal, output is set in columns, with colour unless `NO_COLOR` is set, and times are local. Tables fit the window: ids are \
        shortened, and what has no room is cut with `…` or left out; `--wide` shows all of it. Every command that takes an id also takes \
        its beginning, six characters or more, if one id that you may see begins so. In a pipe there is one \
        line for each thing, a tab between its fields, and times are in UTC. `--json` prints one JSON document instead: the `data` of the API's answer, where the command calls the API.
        """

    private struct Entry {
        let name: String
        let command: any ParsableCommand.Type
    }

    /// All commands shown in the help, in the order of the help, each before its subcommands.
    private static var entries: [Entry] { entries(of: Doorward.self, name: "doorward") }

    private static func entries(of command: any ParsableCommand.Type, name: String) -> [Entry] {
        var entries = [Entry(name: name, command: command)]
        let configuration = command.configuration
        for subcommand in configuration.groupedSubcommands.flatMap({ $0.subcommands }) + configuration.ungroupedSubcommands {
            guard subcommand.configuration.shouldDisplay else { continue }
            entries += self.entries(of: subcommand, name: "\(name) \(subcommand._commandName)")
        }
        return entries
    }

    /// Removes spaces at the ends of lines, and empty lines at the end.
    private static func trimmed(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.reversed().drop { $0 == " " }.reversed().reduce(into: "") { $0.append($1) }
        }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
