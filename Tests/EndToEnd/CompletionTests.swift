import Foundation
import Testing

extension EndToEnd {
    @Suite("Shell completion", .timeLimit(.minutes(30))) struct CompletionTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func script(_ shell: String) async throws -> String {
            let result = try await Program.run(Program.doorward, ["--generate-completion-script", shell], in: folder)
            #expect(result.code == 0)
            #expect(result.errors.isEmpty)
            return try folder.write(result.output, to: "doorward.\(shell)")
        }

        @Test("each shell accepts its completion script", arguments: ["bash", "zsh", "fish"])
        func accepted(shell: String) async throws {
            let result = try await Program.run("/usr/bin/env", [shell, "-n", script(shell)], in: folder)
            #expect(result.code == 0, "scripts/test installs \(shell): \(result.errors)")
            #expect(result.errors.isEmpty)
        }

        /// Starts bash on a terminal, with the completion script loaded and the program in its PATH.
        private func bash(environment: [String: String] = [:]) async throws -> TerminalProgram {
            let script = try await script("bash")
            var variables = environment
            variables["PATH"] = "\(URL(filePath: Program.doorward).deletingLastPathComponent().path):/usr/bin:/bin"
            variables["PS1"] = "$ "
            variables["INPUTRC"] = "/dev/null"
            let bash = try TerminalProgram(
                "/usr/bin/bash", ["--norc", "--noprofile", "-i"], environment: variables, in: folder)
            // The quotes distinguish the output from the terminal's echo of the typed command.
            bash.type("source \(script); bind 'set bell-style none'; echo re''ady")
            bash.press(.enter)
            try await bash.read(until: "ready\r\n")
            return bash
        }

        private func leave(_ bash: TerminalProgram) async {
            // Press Ctrl-U, because Ctrl-C would also discard the text that is typed after it.
            bash.press(.controlU)
            bash.type("exit 0")
            bash.press(.enter)
            #expect(await bash.exitCode == 0)
        }

        @Test(
            "Tab completes commands, subcommands and options",
            arguments: [
                ("doorward ser", "ve "), ("doorward admin cre", "ate "), ("doorward store ch", "eck "),
                ("doorward serve --http-p", "ort "), ("doorward serve --log-level crit", "ical "),
            ])
        func tab(typed: String, completed: String) async throws {
            let bash = try await bash()
            bash.type(typed)
            bash.press(.tab)
            try await bash.read(until: typed + completed)
            await leave(bash)
        }

        @Test("Tab completes the names of visible locks, including a name of several words")
        func locks() async throws {
            let (_, house, shell) = try await ownersShell()
            for name in ["Front door", "Cellar"] { _ = try await house.lock(name) }
            for (typed, completed) in [("doorward unlock Cel", "lar "), ("doorward status Fro", "nt\\ door ")] {
                let bash = try await bash(environment: shell.environment)
                bash.type(typed)
                bash.press(.tab)
                try await bash.read(until: typed + completed)
                await leave(bash)
            }
        }

        @Test("Tab completes the names of sign-ins, and lock names with the sign-in given by --as")
        func signIns() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let files = FileManager.default
            try files.createDirectory(
                atPath: shell.folder.file("config/doorward/sessions"), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try files.moveItem(atPath: shell.sessionFile, toPath: shell.folder.file("config/doorward/sessions/work.json"))
            for (typed, completed) in [("doorward locks --as wo", "rk "), ("doorward unlock --as work Fro", "nt\\ door ")] {
                let bash = try await bash(environment: shell.environment)
                bash.type(typed)
                bash.press(.tab)
                try await bash.read(until: typed + completed)
                await leave(bash)
            }
        }

        @Test("Tab completes the files of options that take one")
        func files() async throws {
            _ = try folder.write("{}", to: "gateway.yaml")
            let bash = try await bash()
            bash.type("doorward serve --config gate")
            bash.press(.tab)
            try await bash.read(until: "--config gateway.yaml")
            await leave(bash)
        }

        /// Runs `body` with a bash whose user is signed in and owns these locks.
        private func bash(
            withLocks names: [String], _ body: (TerminalProgram) async throws -> Void
        ) async throws {
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            for name in names { _ = try await house.lock(name) }
            let owner = try await Shell.signedIn("owner@doors.example", on: gateway)
            let bash = try await bash(environment: owner.environment)
            try await body(bash)
            await leave(bash)
            #expect(await gateway.stop() == 0)
        }

        @Test("Tab completes and quotes the name of a lock, the lock is found by that name, and shell code in names is never run")
        func lockNames() async throws {
            try await bash(withLocks: ["Front door", "Front $(touch pwned)", "Front `touch pwned`"]) { bash in
                bash.type("doorward status Fro")
                bash.press(.tab)
                try await bash.read(until: #"doorward status Front\ door "#)
                bash.press(.enter)
                try await bash.read(until: "Quay 1 / 1a")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.file("pwned")))
        }

        @Test("without a session Tab prints nothing and leaves the line unchanged")
        func noSession() async throws {
            let bash = try await bash(environment: ["XDG_CONFIG_HOME": folder.file("config")])
            bash.type("doorward unlock Fro")
            bash.press(.tab)
            bash.type("nt")
            try await bash.read(until: "doorward unlock Front")
            #expect(!bash.shown.contains("signed in"))
            await leave(bash)
        }
    }
}
