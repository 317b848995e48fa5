import Foundation
import Testing

extension EndToEnd {
    @Suite("Every command in a pipe and on a terminal", InDailyHouse(), .serialized, .timeLimit(.minutes(30)))
    struct CommandCaseTests {
        @Test("in a pipe a command prints plain text without control characters, with its exit code", arguments: CommandCase.all)
        func pipe(_ command: CommandCase) async throws {
            let house = try InDailyHouse.house
            func fill(_ text: String) -> String { CommandCase.fill(text, .pipe, house) }
            let shell = command.shell(in: house)
            let errors = house.gateway.folder.file("errors-\(UUID().uuidString)")
            let program = try Program(
                Program.doorward, command.arguments.map(fill),
                environment: shell.environment.merging(command.environment.mapValues(fill)) { _, new in new },
                input: command.input,
                errors: errors)
            var output = ""
            if command.isEndless {
                while !output.contains(fill(command.pipe)) {
                    let (line, error) = (await program.nextLine(), try String(contentsOfFile: errors, encoding: .utf8))
                    output += try #require(line, "\(output)\(error)") + "\n"
                }
                program.signal(SIGINT)
            }
            output += await program.rest()
            #expect(await program.exitCode == command.code)
            let error = try String(contentsOfFile: errors, encoding: .utf8)
            let expected = fill(command.pipe)
            // An empty text means that no output is expected.
            let isDone = command.code == 0 || command.isAnswer
            let isRight = expected.isEmpty ? output.isEmpty : (isDone ? output : error).contains(expected)
            #expect(isRight, "\(output)\(error)")
            #expect(isDone || output.isEmpty, "a failure prints nothing to standard output: \(output)")
            #expect(!(output + error).contains("\u{1B}"), "\(output)\(error)")
        }

        @Test("on a terminal a command prints text for people, with the same exit code", arguments: CommandCase.all)
        func terminal(_ command: CommandCase) async throws {
            let house = try InDailyHouse.house
            func fill(_ text: String) -> String { CommandCase.fill(text, .terminal, house) }
            let shell = command.shell(in: house)
            let program = try TerminalProgram(
                Program.doorward, command.arguments.map(fill), size: .init(columns: 200, rows: 50),
                environment: shell.environment.merging(["NO_COLOR": "1"]) { $1 }
                    .merging(command.environment.mapValues(fill)) { $1 },
                in: shell.folder)
            program.type(command.input.replacing("\n", with: "\r"))
            if command.isEndless {
                try await program.read(until: fill(command.terminal))
                program.press(.controlC)
            }
            _ = await program.rest()
            #expect(await program.exitCode == command.code)
            let shown = program.shown.replacing("\r\n", with: "\n")
            #expect(shown.contains(fill(command.terminal)), "\(shown.debugDescription)")
            #expect(!shown.contains(#/\u{1B}\[[0-9;]*m/#), "NO_COLOR is set: \(shown.debugDescription)")
        }

        @Test("every command prints its help and the version")
        func help() async throws {
            let folder = try TemporaryFolder()
            for command in try await CommandTree.read(in: folder) {
                for (option, text) in [("--help", "USAGE: \(command.name)"), ("--version", "0.1.0\n")] {
                    let result = try await Program.run(Program.doorward, command.path + [option], in: folder)
                    #expect(result.code == 0 && result.errors.isEmpty)
                    #expect(result.output.contains(text), "\(command.name): \(result.output)")
                    let program = try TerminalProgram(Program.doorward, command.path + [option], in: folder)
                    let shown = await program.rest().replacing("\r\n", with: "\n")
                    #expect(await program.exitCode == 0)
                    #expect(shown.contains(text), "\(command.name): \(shown)")
                }
            }
        }

        @Test("exactly the commands that call a gateway have --as and --ca-file")
        func clientOptions() async throws {
            let commands = try await CommandTree.read(in: TemporaryFolder()).filter { !$0.hasSubcommands }
            let local = ["profile", "demo", "serve", "ready", "admin", "config"]
            let offline = [
                ["store", "check"], ["store", "recover"], ["audit", "check"], ["audit", "verify"], ["audit", "cross-check"],
            ]
            for command in commands {
                let isClient = !local.contains(command.path[0]) && !offline.contains(command.path)
                #expect(command.common.isSuperset(of: ["as", "ca-file"]) == isClient, "\(command.name)")
                #expect(isClient || command.common.isDisjoint(with: ["as", "ca-file"]), "\(command.name)")
            }
        }

        @Test("an unknown sign-in or an unreadable CA file stops every command that calls a gateway")
        func badClientOptions() async throws {
            let house = try InDailyHouse.house
            let commands = try await CommandTree.read(in: TemporaryFolder()).filter { $0.common.contains("as") }
            for command in commands where command.path != ["login"] {
                let line = try #require(
                    CommandCase.all.first { $0.arguments.starts(with: command.path) && $0.code == 0 && !$0.isEndless })
                let arguments = line.arguments.map { CommandCase.fill($0, .pipe, house) }
                let unknown = try await house.owner.run(arguments + ["--as", "defualt"])
                #expect(unknown.code == 1)
                #expect(
                    unknown.errors.hasPrefix(
                        "doorward: there is no sign-in `defualt`; did you mean `default`?\n  there are: default\n"),
                    "\(command.name): \(unknown.errors)")
                guard command.path != ["logout"] else { continue }
                let untrusting = try await house.owner.run(arguments + ["--ca-file", "/nowhere.pem"])
                #expect(untrusting.code == 1)
                #expect(
                    untrusting.errors
                        == "doorward: the certificate file /nowhere.pem cannot be used: it cannot be read: No such file or directory\n",
                    "\(command.name)")
            }
        }

        @Test("each option and argument of each command is in one of the cases")
        func coverage() async throws {
            let commands = try await CommandTree.read(in: TemporaryFolder())
            #expect(commands.count > 20)
            let missing = commands.flatMap { command in
                command.parts(missingIn: CommandCase.all.map(\.arguments)).map { "\(command.name) \($0)" }
            }
            #expect(missing == [], "add a case for each in CommandCase+All.swift")
        }
    }
}
