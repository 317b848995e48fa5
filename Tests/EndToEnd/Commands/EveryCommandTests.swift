import Foundation
import Testing

extension EndToEnd {
    /// Runs every command of the table of cases under conditions that the cases themselves do not repeat.
    @Suite(
        "Every command without a server, and with an expired session", InDailyHouse(),
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
