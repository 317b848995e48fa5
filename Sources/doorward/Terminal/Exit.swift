import ArgumentParser
import DoorwardClient
import DoorwardDomain
import DoorwardYAML
import FoundationEssentials
import Glibc
import UnixSignals

/// How a command ends if it does not end normally: its message, output stream and exit code.
struct Exit: Equatable {
    let message: String
    let code: Int32

    /// - Parameter arguments: the command line that caused the error, without the program's name.
    init(of error: any Error, arguments: [String] = []) {
        if let failure = CommandFailure(of: error) {
            (message, code) = ("doorward: \(failure.sentence)", failure.code)
        } else {
            let text = DoorwardCommand.fullMessage(for: error)
            let code = DoorwardCommand.exitCode(for: error)
            let misspelling = code == .validationFailure ? Misspelling.sentence(about: arguments) : nil
            // The parser's message with another first sentence, followed by the parser's usage text.
            let usage = text.firstRange(of: "Usage: ").map { text[$0.lowerBound...] } ?? ""
            message = misspelling.map { "Error: \($0)\n\(usage)" } ?? text
            switch code {
            case .success: self.code = 0
            case .validationFailure: self.code = 2
            default: self.code = 1
            }
        }
    }

    /// Prints the message and ends the process. Help goes to standard output, everything else to standard error.
    func leave() -> Never {
        if !message.isEmpty { (code == 0 ? StandardStream.output : .error).line(message) }
        guard let failure = StandardStream.outputFailure, !message.contains(failure.sentence) else { exit(code) }
        StandardStream.error.line("doorward: \(failure.sentence)")
        exit(code == 0 ? failure.code : code)
    }
}

/// The error of a command: a message for the user, and the exit code.
struct CommandFailure: Error, Equatable {
    let sentence: String
    /// 1 if the command was refused or failed, 2 for wrong usage, 3 for no connection, 4 for a log that was rolled back or is
    /// incomplete.
    let code: Int32

    init(_ sentence: String, code: Int32 = 1) { (self.sentence, self.code) = (sentence, code) }

    /// - Parameter file: the noun for the file with the mistakes, such as `the profile`.
    init(_ file: String, _ errors: YAMLErrors) {
        let lines = errors.description.split(separator: "\n").map { String($0).printable }
        self.init("\(file) has mistakes:\n\(lines.joined(separator: "\n"))")
    }
}

/// Runs an operation that the user may interrupt, until it ends or until Ctrl-C.
///
/// - Returns: `nil` after Ctrl-C.
func withInterrupt<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result? {
    let signals = await UnixSignalsSequence(trapping: .sigint)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            for await _ in signals { return nil }
            // The stream of signals also ends when this task is cancelled, and then its result is not used.
            throw CancellationError()
        }
        return try await group.next() ?? nil
    }
}

/// An unknown command or option on the command line.
enum Misspelling {
    /// Returns the error message, with a suggestion if there is one; `nil` if every command and option is known.
    ///
    /// - Parameter arguments: the arguments after the program's name.
    static func sentence(about arguments: some Collection<String>) -> String? {
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
                return unknownCommand(word, path, command)
            }
            (command, words) = (next, words[(place + 1)...])
            path.append(word)
        }
        return isHelp ? nil : unknownOption(words, command)
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
