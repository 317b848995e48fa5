import Foundation
import Testing

extension EndToEnd {
    /// Commands on a terminal. The suites of the commands test the same commands in a pipe.
    @Suite("Commands on a terminal", .timeLimit(.minutes(30))) struct TerminalTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func create(_ email: String = "a@doors.example") throws -> TerminalProgram {
            try TerminalProgram(
                Program.doorward, ["admin", "create", "--email", email],
                environment: RunningGateway.environment(for: folder), in: folder)
        }

        @Test("admin create asks twice for a password, shows neither, and restores the terminal")
        func askedTwice() async throws {
            let program = try create()
            try await program.read(until: "New password (at least 15 characters): ")
            #expect(!program.terminal.isEchoing)
            program.type(RunningGateway.password)
            program.press(.enter)
            try await program.read(until: "Repeat the password: ")
            #expect(!program.terminal.isEchoing)
            program.type(RunningGateway.password)
            program.press(.enter)
            let rest = await program.rest()
            #expect(rest.contains("a@doors.example is now a super admin in \(folder.file("doorward.db"))"))
            #expect(!program.shown.contains(RunningGateway.password))
            #expect(await program.exitCode == 0)
            let gateway = try await RunningGateway.start(in: folder)
            _ = try await gateway.signIn("a@doors.example")
            #expect(await gateway.stop() == 0)
        }

        @Test("two different passwords are rejected, and no super admin is created")
        func differing() async throws {
            let program = try create()
            for (question, answer) in [
                ("New password", "a long sentence for tests"), ("Repeat the password", "a long sentence for test5"),
            ] {
                try await program.read(until: question)
                try await program.read(until: ": ")
                program.type(answer)
                program.press(.enter)
            }
            #expect(await program.rest().contains("doorward: the two passwords differ; nothing was done"))
            #expect(await program.exitCode == 1)
            let again = try await Program.run(
                Program.doorward, ["admin", "create", "--email", "a@doors.example", "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
            #expect(again.code == 0, "no user with this address exists: \(again.errors)")
        }

        @Test("end of input at the password question changes nothing, and no database is created")
        func endOfInput() async throws {
            let program = try create()
            try await program.read(until: "characters): ")
            program.press(.controlD)
            #expect(await program.rest().contains("doorward: no password was entered; nothing was done"))
            #expect(await program.exitCode == 1)
            let short = try await Program.run(
                Program.doorward, ["admin", "create", "--email", "a@doors.example", "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: "short\n", in: folder)
            #expect(short.code == 1)
            #expect(short.errors == "doorward: the password is too short: it needs 15 characters at least\n")
            #expect(!FileManager.default.fileExists(atPath: folder.file("doorward.db")))
            #expect(!FileManager.default.fileExists(atPath: folder.file("doorward.db.lock")))
        }

        @Test("Ctrl-C at the password question ends the command, and the terminal shows typed text again")
        func interrupted() async throws {
            // The shell keeps the terminal open, as in normal use.
            let shell = try TerminalProgram(
                "/bin/sh",
                [
                    "-c", #"trap : INT; "$0" admin create --email a@doors.example; echo "ended: $?"; read line"#,
                    Program.doorward,
                ],
                environment: RunningGateway.environment(for: folder), in: folder)
            try await shell.read(until: "characters): ")
            #expect(!shell.terminal.isEchoing)
            shell.press(.controlC)
            try await shell.read(until: "ended: 130")
            #expect(shell.terminal.isEchoing)
            shell.press(.enter)
            #expect(await shell.exitCode == 0)
        }

        @Test("help fits a window of any width", arguments: [60, 80, 120] as [UInt16])
        func helpWidth(columns: UInt16) async throws {
            let program = try TerminalProgram(
                Program.doorward, ["serve", "--help"], size: .init(columns: columns, rows: 24), in: folder)
            let lines = await program.rest().split(whereSeparator: \.isNewline)
            #expect(await program.exitCode == 0)
            let longest = lines.filter { !$0.contains("USAGE") }.map(\.count).max() ?? 0
            #expect(longest <= columns)
            #expect(longest > columns / 2, "lines use the width of the window")
        }

        @Test("Ctrl-C shuts down a gateway on a terminal cleanly")
        func stopped() async throws {
            let program = try TerminalProgram(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder), in: folder)
            try await program.read(until: "listening on http://127.0.0.1:")
            program.press(.controlC)
            #expect(await program.exitCode == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }
    }
}
