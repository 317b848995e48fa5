import Foundation
import Testing

/// The program's commands with their options and arguments, read from its own help dump.
enum CommandTree {
    struct Command: Sendable {
        /// The words typed after `doorward`.
        let path: [String]
        /// Options with a value, by their long name.
        let options: Set<String>
        let flags: Set<String>
        /// The names of its arguments, in order.
        let arguments: [String]
        let hasSubcommands: Bool
        /// The options of `CommandTree.common` that the command has.
        let common: Set<String>

        var name: String { (["doorward"] + path).joined(separator: " ") }

        /// Returns the options and arguments that none of these command lines contains.
        func parts(missingIn lines: [[String]]) -> [String] {
            guard !hasSubcommands else { return [] }
            var missing = Set(options.union(flags).map { "--\($0)" } + arguments)
            let own = lines.filter { $0.starts(with: path) }
            if own.isEmpty { missing.insert("itself") }
            for line in own {
                var rest = line.dropFirst(path.count)
                var places = arguments[...]
                while let word = rest.popFirst() {
                    if word.hasPrefix("--") {
                        missing.remove(word)
                        if options.contains(String(word.dropFirst(2))) { rest = rest.dropFirst() }
                    } else if let place = places.popFirst() {
                        missing.remove(place)
                    }
                }
            }
            return missing.sorted()
        }
    }

    /// Reads every command that help shows.
    static func read(in folder: TemporaryFolder) async throws -> [Command] {
        let dump = try await Program.run(Program.doorward, ["--experimental-dump-help"], in: folder)
        try #require(dump.code == 0, "\(dump.errors)")
        let root = try JSONDecoder().decode(JSON.self, from: Data(dump.output.utf8))["command"]
        return commands(root, path: [])
    }

    /// Options of every command, or of every command that calls a gateway. They have their own tests.
    static let common = ["help", "version", "as", "ca-file"]

    private static func commands(_ tree: JSON, path: [String]) -> [Command] {
        guard tree["shouldDisplay"] == .bool(true) else { return [] }
        let parts = tree["arguments"].items
        func names(_ kind: String) -> [String] {
            parts.filter { $0["kind"] == .string(kind) }.compactMap { part in
                part["names"].items.first { $0["kind"] == .string("long") }?["name"].text ?? part["valueName"].text
            }
        }
        func own(_ kind: String) -> Set<String> { Set(names(kind)).subtracting(common) }
        let below = tree["subcommands"].items.filter { $0["commandName"] != .string("help") }
        let command = Command(
            path: path, options: own("option"), flags: own("flag"), arguments: names("positional"),
            hasSubcommands: !below.isEmpty, common: Set(names("option") + names("flag")).intersection(common))
        return [command] + below.flatMap { commands($0, path: path + [$0["commandName"].text ?? ""]) }
    }
}
