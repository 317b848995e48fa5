import Foundation
import Testing

extension EndToEnd {
    /// Runs every command of the table of cases under conditions that the cases themselves do not repeat.
    @Suite(
        "Every command without a server, with an expired session, with a wrong name, and in a narrow terminal", InDailyHouse(),
        .timeLimit(.minutes(30)))
    struct EveryCommandTests {
        @Test("without a server, every command that calls a gateway exits 3 and names the server")
        func withoutServer() async throws {
            let house = try InDailyHouse.house
            let nowhere = "http://127.0.0.1:1"
            for (command, line) in try await Self.clientLines() {
                // `login` has the server as an option, and `logout` and `whoami --all` read the session file alone.
                let arguments = try line.arguments.map {
                    try CommandCase.fill($0.replacing("{server}", with: nowhere), .pipe, house)
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
                let arguments = try line.arguments.map { try CommandCase.fill($0, .pipe, house) }
                guard !["login", "logout"].contains(command.path[0]), !arguments.contains("--all") else { continue }
                try file.write(to: URL(filePath: shell.sessionFile))
                let result = try await shell.run(arguments, input: line.input)
                #expect(result.code == 1, "\(command.name): \(result.errors)")
                #expect(
                    result.errors.hasPrefix(expected + "--email owner@doors.example\n"), "\(command.name): \(result.errors)")
                #expect(result.output.isEmpty, "\(command.name): \(result.output)")
            }
        }

        @Test("with an unknown name, every command that takes one exits 1, names it and changes nothing")
        func wrongName() async throws {
            let house = try InDailyHouse.house
            let named: Set = ["lock", "portfolio", "property", "unit", "user", "key", "access", "entity"]
            var checked: Set<String> = []
            for (command, line) in try await Self.clientLines() {
                guard let index = command.index(ofArgumentIn: named, in: line.arguments) else { continue }
                var arguments = try line.arguments.map { try CommandCase.fill($0, .pipe, house) }
                arguments[index] = "No such name 7"
                let result = try await line.shell(in: house).run(arguments, input: line.input)
                #expect(result.code == 1, "\(command.name): \(result.output)\(result.errors)")
                #expect(result.errors.hasPrefix("doorward: There is no "), "\(command.name): \(result.errors)")
                #expect(result.errors.contains("`No such name 7`"), "\(command.name): \(result.errors)")
                #expect(result.output.isEmpty, "\(command.name): \(result.output)")
                checked.insert(command.name)
            }
            #expect(checked.count >= 15, "\(checked.sorted())")
        }

        @Test("the tables of every command fit a terminal of 80 and of 120 columns", arguments: [80, 120])
        func narrowTerminal(_ columns: UInt16) async throws {
            let house = try InDailyHouse.house
            let tables = Set(["locks", "status", "log", "grants", "discovered", "adapters", "whoami", "list", "show", "get"])
            var headers: Set<String> = []
            for line in CommandCase.all where line.code == 0 && !line.isEndless {
                let isTable = line.arguments.prefix(2).contains { tables.contains($0) }
                guard isTable, !line.arguments.contains("--json"), !line.arguments.contains("--wide") else { continue }
                let shell = line.shell(in: house)
                let program = try TerminalProgram(
                    Program.doorward, try line.arguments.map { try CommandCase.fill($0, .terminal, house) },
                    size: .init(columns: columns, rows: 50),
                    environment: shell.environment.merging(["NO_COLOR": "1"]) { $1 }
                        .merging(try line.environment.mapValues { try CommandCase.fill($0, .terminal, house) }) { $1 },
                    in: shell.folder)
                _ = await program.rest()
                #expect(await program.exitCode == 0)
                let lines = program.shown.replacing("\r\n", with: "\n").split(separator: "\n")
                guard let header = lines.first, header.contains(#/^[A-Z]+ {2,}[A-Z]/#) else { continue }
                headers.insert(line.arguments.prefix(2).joined(separator: " "))
                for row in lines { #expect(row.count <= Int(columns), "\(line.testDescription): \(row)") }
            }
            #expect(headers.count >= 8, "\(headers.sorted())")
        }

        /// Each command that calls a gateway, with the first case in which it succeeds.
        private static func clientLines() async throws -> [(CommandTree.Command, CommandCase)] {
            let commands = try await CommandTree.read(in: TemporaryFolder())
                .filter { $0.common.contains("as") && !$0.hasSubcommands }
            #expect(commands.count > 30)
            return try commands.map { command in
                let line = CommandCase.all.first {
                    $0.arguments.starts(with: command.path) && $0.code == 0 && !$0.isEndless
                }
                return (command, try #require(line, "\(command.name)"))
            }
        }
    }
}

extension CommandTree.Command {
    /// Returns the index, in a command line, of the first argument with one of these value names.
    fileprivate func index(ofArgumentIn names: Set<String>, in line: [String]) -> Int? {
        var places = arguments[...]
        var index = path.count
        while index < line.count {
            if line[index].hasPrefix("--") {
                index += options.contains(String(line[index].dropFirst(2))) ? 2 : 1
                continue
            }
            guard let place = places.popFirst() else { return nil }
            if names.contains(place) { return index }
            index += 1
        }
        return nil
    }
}
