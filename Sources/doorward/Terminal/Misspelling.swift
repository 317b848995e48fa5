import ArgumentParser
import DoorwardDomain
import FoundationEssentials

/// An unknown command or option on the command line.
struct Misspelling: Equatable {
    /// The error message, with a suggestion if there is one.
    let sentence: String

    /// - Parameter arguments: the arguments after the program's name.
    init?(in arguments: some Collection<String>) {
        var (command, path): (any ParsableCommand.Type, [String]) = (DoorwardCommand.self, [])
        var words = Array(arguments)[...]
        // The words after `help` are names of commands.
        let isHelp = words.first == "help"
        if isHelp { words.removeFirst() }
        while !command.subcommands.isEmpty {
            guard let place = words.firstIndex(where: { !$0.hasPrefix("-") }) else { return nil }
            let word = words[place]
            if word == "help" { return nil }
            guard let next = command.subcommands.first(where: { $0.names.contains(word) }) else {
                sentence = Self.unknownCommand(word, path, command)
                return
            }
            (command, words) = (next, words[(place + 1)...])
            path.append(word)
        }
        guard !isHelp, let sentence = Self.unknownOption(words, command) else { return nil }
        self.sentence = sentence
    }

    private static func unknownCommand(_ word: String, _ path: [String], _ parent: any ParsableCommand.Type) -> String {
        func whole(_ name: String) -> String { "`\((path + [name.printable]).joined(separator: " "))`" }
        let names = parent.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { $0.names }
        let hint = nearestName(to: word, among: names).map { " Did you mean \(whole($0))?" } ?? ""
        return "There is no command \(whole(word)).\(hint)"
    }

    /// - Returns: `nil` if the command has all these options.
    private static func unknownOption(_ words: some Sequence<String>, _ command: any ParsableCommand.Type) -> String? {
        let known = command.optionNames + ["help", "version"]
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            guard !known.contains(String(name)) else { continue }
            let hint = nearestName(to: String(name), among: known).map { " Did you mean `--\($0)`?" } ?? ""
            return "There is no option `--\(String(name).printable)`.\(hint)"
        }
        return nil
    }
}

extension ParsableCommand {
    fileprivate static var subcommands: [any ParsableCommand.Type] {
        configuration.groupedSubcommands.flatMap { $0.subcommands } + configuration.ungroupedSubcommands
    }

    fileprivate static var names: [String] { [_commandName] + configuration.aliases }

    /// The long names of the command's options and flags, without the dashes.
    fileprivate static var optionNames: [String] {
        guard let help = try? JSONDecoder().decode(HelpDump.self, from: Data(_dumpHelp().utf8)) else { return [] }
        return (help.command.arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    }
}

/// The required part of the parser's machine-readable description of a command.
private struct HelpDump: Decodable {
    let command: Command

    struct Command: Decodable { let arguments: [Argument]? }
    struct Argument: Decodable { let names: [Name]? }
    struct Name: Decodable {
        let kind: String
        let name: String
    }
}
