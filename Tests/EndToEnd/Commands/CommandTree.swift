import Foundation
import Testing

/// The commands of the program with their options and arguments, as it tells them itself.
enum CommandTree {
    struct Command: Sendable {
        /// What is typed after `doorward` to get it.
        let path: [String]
        /// Options with a value, by their long name.
        let options: Set<String>
        let flags: Set<String>
        /// The names of its arguments, in order.
        let arguments: [String]
        let hasSubcommands: Bool

        var name: String { (["doorward"] + path).joined(separator: " ") }

        /// The options and arguments that stand in none of these command lines.
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

    /// Every command that help shows.
    static func read(in folder: TemporaryFolder) async throws -> [Command] {
        let dump = try await Program.run(Program.doorward, ["--experimental-dump-help"], in: folder)
        try #require(dump.code == 0, "\(dump.errors)")
        let root = try JSONDecoder().decode(JSON.self, from: Data(dump.output.utf8))["command"]
        return commands(root, path: [])
    }

    /// Options that every command has; they have a test of their own.
    private static let common = ["help", "version"]

    private static func commands(_ command: JSON, path: [String]) -> [Command] {
        guard command["shouldDisplay"] == .bool(true) else { return [] }
        let parts = command["arguments"].items
        func names(_ kind: String) -> [String] {
            parts.filter { $0["kind"] == .string(kind) }.compactMap { part in
                part["names"].items.first { $0["kind"] == .string("long") }?["name"].text ?? part["valueName"].text
            }.filter { !common.contains($0) }
        }
        let below = command["subcommands"].items.filter { $0["commandName"] != .string("help") }
        let own = Command(
            path: path, options: Set(names("option")), flags: Set(names("flag")), arguments: names("positional"),
            hasSubcommands: !below.isEmpty)
        return [own] + below.flatMap { commands($0, path: path + [$0["commandName"].text ?? ""]) }
    }
}
