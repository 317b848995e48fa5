import Foundation
import Testing

extension EndToEnd {
    /// Runs the commands of docs/getting-started.md unchanged, in two terminals. Only the address and the password are the test's
    /// own, and the program is already built.
    @Suite("docs/getting-started.md", .timeLimit(.minutes(30))) struct GettingStartedTests {
        private let folder: TemporaryFolder
        private let page: Page

        init() throws {
            (folder, page) = (try TemporaryFolder(), try Page("getting-started"))
            // Make the folder look like the project's folder after a build.
            let files = FileManager.default
            try files.createDirectory(atPath: folder.file(".build/debug"), withIntermediateDirectories: true)
            try files.createSymbolicLink(atPath: folder.file(".build/debug/doorward"), withDestinationPath: Program.doorward)
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            try files.createSymbolicLink(atPath: folder.file("Tests"), withDestinationPath: tests.path)
        }

        /// Runs these commands in a terminal until one fails.
        private func terminal(_ commands: String) throws -> TerminalProgram {
            try TerminalProgram(
                "/bin/bash", ["-euo", "pipefail", "-c", commands], size: .init(columns: 200, rows: 50),
                environment: RunningGateway.environment.merging(
                    [
                        "XDG_CONFIG_HOME": folder.file("config"), "NO_COLOR": "1",
                        "PATH": "\(folder.file(".build/debug")):\(path)",
                    ]
                ) { _, new in new }, in: folder)
        }

        private var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

        private func answer(_ program: TerminalProgram, _ question: String, _ password: String) async throws {
            try await program.read(until: question)
            program.type(password)
            program.press(.enter)
        }

        @Test("the page leads from the built program to an unlocked lock, its log and the check of the log")
        func followed() async throws {
            let host = try terminal(page.shellBlocks(under: "## The first super admin").joined(separator: "\n"))
            for question in ["New password", "Repeat the password"] { try await answer(host, question, RunningGateway.password) }
            #expect(await host.exitCode == 0)
            let gateway = try terminal(page.shellBlocks(under: "## The gateway").joined(separator: "\n"))
            let listening = try await gateway.read(until: "\r\n")
            let address = try #require(listening.firstMatch(of: #/listening on (http://127\.0\.0\.1:[0-9]+)/#)?.1)

            var commands = ["## A portfolio, an owner, a door", "## Unlock it"].reduce(into: "") { text, heading in
                text += ((try? page.shellBlocks(under: heading)) ?? []).joined(separator: "\n") + "\n"
            }
            let log = try page.shellBlocks(under: "## Read the log")
            try #require(log.count == 2)
            commands += log[0]
            #expect(commands.contains("http://127.0.0.1:8080"))
            let person = try terminal(commands.replacing("http://127.0.0.1:8080", with: address))
            try await answer(person, "Password of you@example.org: ", RunningGateway.password)
            try await answer(person, "Password of olga@example.org: ", "another long password")
            try await person.read(until: "Attached Door 1A, id ")
            try await person.read(until: "owner of Harbour Homes")
            try await person.read(until: "Door 1A is unlocked.")
            try await person.read(until: "Door 1A is locked.")
            let records = await person.rest()
            #expect(await person.exitCode == 0)
            #expect(records.matches(of: #/ confirmed +[^ ]/#).count == 2, "\(records)")

            gateway.press(.controlC)
            #expect(await gateway.exitCode == 0)
            let check = try terminal(log[1])
            #expect(await check.rest().contains("doorward.db is whole: "))
            #expect(await check.exitCode == 0)
        }
    }
}
