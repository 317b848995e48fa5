import Foundation
import Testing

extension EndToEnd {
    /// Runs every command of the table of cases under conditions that the cases themselves do not repeat.
    @Suite(
        "Every command without a server, with an expired session, with wrong names, and in narrow terminals", InDailyHouse(),
        .serialized,
        .timeLimit(.minutes(30)))
    struct EveryCommandTests {
        @Test("without a server, every command that calls a gateway exits 3 and names the server")
        func withoutServer() async throws {
            let house = try InDailyHouse.house
            let nowhere = "http://127.0.0.1:1"
            for (command, line) in try await Self.clientLines() {
                // `login` has the server as an option, and `logout` and `whoami --all` read the session file alone.
                let arguments = line.arguments.map {
                    CommandCase.fill($0.replacing("{server}", with: nowhere), .pipe, house)
                }
                guard !["logout"].contains(command.path[0]), !arguments.contains("--all") else { continue }
                let result = try await house.nobody.run(
                    arguments, input: line.input, environment: ["DOORWARD_SERVER": nowhere, "DOORWARD_TOKEN": "t"])
                #expect(result.code == 3, "\(command.name): \(result.errors)")
                #expect(result.errors.hasPrefix("doorward: no connection to \(nowhere): "), "\(command.name): \(result.errors)")
                #expect(result.output.isEmpty, "\(command.name): \(result.output)")
            }
        }

        @Test("with an expired session, every command exits 1 and names the command that signs in again")
        func expiredSession() async throws {
            let house = try InDailyHouse.house
            let shell = try await Shell.signedIn("owner@doors.example", on: house.gateway)
            let sessions = try await shell.run("api", "GET", "users/me/sessions").json["sessions"].items
            let session = try #require(sessions.first { $0["isCurrent"] == .bool(true) }?["id"].text)
            #expect(try await house.owner.run("api", "DELETE", "users/me/sessions/\(session)").code == 0)
            let file = try Data(contentsOf: URL(filePath: shell.sessionFile))
            let expected = "doorward: The session has expired; sign in again: doorward login --server \(house.gateway.address) "
            for (command, line) in try await Self.clientLines() {
                let arguments = line.arguments.map { CommandCase.fill($0, .pipe, house) }
                guard !["login", "logout"].contains(command.path[0]), !arguments.contains("--all") else { continue }
                try file.write(to: URL(filePath: shell.sessionFile))
                let result = try await shell.run(arguments, input: line.input)
                #expect(result.code == 1, "\(command.name): \(result.errors)")
                #expect(
                    result.errors.hasPrefix(expected + "--email owner@doors.example\n"), "\(command.name): \(result.errors)")
                #expect(result.output.isEmpty, "\(command.name): \(result.output)")
            }
        }

        @Test("with an unknown name, every command that takes one exits 1, names it and prints nothing else")
        func unknownName() async throws {
            let house = try InDailyHouse.house
            var checked: Set<String> = []
            let commands = try await Self.clientCommands()
            for line in CommandCase.all where line.code == 0 && !line.isEndless {
                guard let command = commands.first(where: { line.arguments.starts(with: $0.path) }) else { continue }
                for (part, index) in command.names(in: line.arguments) where checked.insert("\(command.name) \(part)").inserted {
                    // The portfolio `Hills` exists only after the cases that create it.
                    var arguments = line.arguments.map {
                        CommandCase.fill($0.replacing("Hills {how}", with: "Yard"), .pipe, house)
                    }
                    arguments[index] = "No such name 7"
                    let result = try await line.shell(in: house).run(arguments, input: line.input)
                    #expect(result.code == 1, "\(command.name) \(part): \(result.output)\(result.errors)")
                    #expect(result.errors.hasPrefix("doorward: There is no "), "\(command.name) \(part): \(result.errors)")
                    #expect(result.errors.contains("`No such name 7`"), "\(command.name) \(part): \(result.errors)")
                    #expect(result.output.isEmpty, "\(command.name) \(part): \(result.output)")
                }
            }
            #expect(checked.count >= 45, "\(checked.sorted())")
        }

        @Test("every table fits a terminal of 80 and of 120 columns", arguments: [80, 120] as [UInt16])
        func narrowTerminal(_ columns: UInt16) async throws {
            let house = try InDailyHouse.house
            var tables: Set<String> = []
            for line in CommandCase.all where line.code == 0 && !line.isEndless && line.isRead {
                let shell = line.shell(in: house)
                let program = try TerminalProgram(
                    Program.doorward, line.arguments.map { CommandCase.fill($0, .terminal, house) },
                    size: .init(columns: columns, rows: 50),
                    environment: shell.environment.merging(["NO_COLOR": "1"]) { $1 }, in: shell.folder)
                _ = await program.rest()
                #expect(await program.exitCode == 0, "\(line): \(program.shown)")
                let rows = program.shown.replacing("\r\n", with: "\n").split(separator: "\n")
                guard rows.contains(where: { $0.contains(#/^[A-Z ]+$/#) && $0.contains("  ") }) else { continue }
                tables.insert(line.arguments.prefix { $0.first != "-" }.joined(separator: " "))
                for row in rows { #expect(row.count <= Int(columns), "\(line): \(row)") }
            }
            #expect(tables.count >= 12, "\(tables.sorted())")
        }

        /// Each command that calls a gateway, with the first case in which it succeeds.
        private static func clientLines() async throws -> [(CommandTree.Command, CommandCase)] {
            try await clientCommands().map { command in
                let line = CommandCase.all.first {
                    $0.arguments.starts(with: command.path) && $0.code == 0 && !$0.isEndless
                }
                return (command, try #require(line, "\(command.name)"))
            }
        }

        private static func clientCommands() async throws -> [CommandTree.Command] {
            let commands = try await CommandTree.read(in: TemporaryFolder())
                .filter { $0.common.contains("as") && !$0.hasSubcommands }
            #expect(commands.count > 30)
            return commands
        }
    }
}

extension CommandCase {
    /// Whether it prints a table and changes nothing, so that it can run in every width.
    fileprivate var isRead: Bool {
        let reads: Set = ["locks", "status", "log", "grants", "discovered", "adapters", "whoami", "list", "who-can", "can"]
        return arguments.prefix(2).contains { reads.contains($0) } && !arguments.contains("--json")
            && !arguments.contains("--wide")
    }
}

extension CommandTree.Command {
    /// The arguments and options that take the name of something that exists.
    private static let named: Set = [
        "lock", "portfolio", "property", "unit", "user", "key", "access", "entity", "session", "adapter", "--property", "--unit",
        "--portfolio", "--user", "--owner", "--discovered",
    ]

    /// Returns each named thing in a command line, with its index.
    fileprivate func names(in line: [String]) -> [(String, Int)] {
        var found: [(String, Int)] = []
        var places = arguments[...]
        var index = path.count
        while index < line.count {
            if line[index].hasPrefix("--") {
                if options.contains(String(line[index].dropFirst(2))) {
                    if Self.named.contains(line[index]) { found.append((line[index], index + 1)) }
                    index += 1
                }
            } else if let place = places.popFirst(), Self.named.contains(place) {
                found.append((place, index))
            }
            index += 1
        }
        return found
    }
}
