import Foundation
import Testing

extension EndToEnd {
    @Suite("scripts/demo", .timeLimit(.minutes(30))) struct DemoTests {
        private static var script: String {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "scripts/demo").path
        }

        /// Long enough for the guest to open the door, also when other tests use the processors.
        private static let window = ["--guest-seconds", "15"]

        @Test("it shows a tenant, a neighbour, a guest inside and outside the window, a jam, and their records")
        func shows() async throws {
            let result = try await Program.run(
                Self.script, ["--api", "--once", "--program", Program.doorward] + Self.window, in: TemporaryFolder())
            #expect(result.code == 0, "\(result.errors)")
            let answers = result.output.split(separator: "\n").filter { $0.hasPrefix("  → ") }.map {
                $0.dropFirst(4).prefix { $0 != ":" }
            }
            #expect(answers == ["CONFIRMED", "forbidden", "CONFIRMED", "guest_window_ended", "done", "lock_jammed"])
            #expect(result.output.contains(/DENIAL +OUTSIDE +UNLOCK +Door 1A +DENIED +no_association/))
            #expect(result.output.contains(/COMMAND_OUTCOME +Tom Tenant +UNLOCK +Balcony 1A +FAILED +jammed/))
        }

        @Test("it keeps running, prints working sign-ins, and shuts down cleanly on SIGTERM")
        func staysUp() async throws {
            let folder = try TemporaryFolder()
            let demo = try Program(
                Self.script, ["--api", "--program", Program.doorward, "--folder", folder.file("a demo"), "--guest-seconds", "3"],
                errors: folder.file("errors"))
            var lines: [String] = []
            while let line = await demo.nextLine() {
                lines.append(line)
                if line == "Ctrl-C ends it." { break }
            }
            let address = try #require(lines.first { $0.hasPrefix("listening on ") }?.dropFirst("listening on ".count))
            let row = try #require(lines.first { $0.hasPrefix("  tenant of 1A") }?.split(separator: " "))
            let (email, password) = try (#require(row.dropLast().last), #require(row.last))
            let visitor = Caller(address: String(address), token: nil)
            let answer = try await visitor.post("/auth/login", #"{"email":"\#(email)","password":"\#(password)"}"#)
            #expect(answer.status == 200)
            demo.signal(SIGTERM)
            #expect(await demo.exitCode == 0)
            #expect(await demo.rest() == "\n", "a line break, and nothing after it")
            try await RunningGateway.verifyLogs(in: folder, database: folder.file("a demo/doorward.db"))
        }

        @Test("without --api it shows the live house, and ends on SIGTERM")
        func house() async throws {
            let folder = try TemporaryFolder()
            let demo = try Program(Self.script, ["--program", Program.doorward], errors: folder.file("errors"))
            var lines: [String] = []
            while let line = await demo.nextLine(), lines.count < 200 {
                lines.append(line)
                if line.contains("Tom Tenant") { break }
            }
            #expect(lines.last?.contains("Tom Tenant") == true, "\(lines)")
            demo.signal(SIGTERM)
            #expect(await demo.exitCode == 0)
            #expect(try await Program.run(Self.script, ["--once", "--program", Program.doorward], in: folder).code == 1)
            #expect(try await Program.run(Self.script, ["--api", "--mqtt"], in: folder).code == 2)
        }

        @Test("it rejects a folder with a database, and unknown arguments")
        func refuses() async throws {
            let folder = try TemporaryFolder()
            _ = try folder.write("", to: "doorward.db")
            let occupied = try await Program.run(
                Self.script, ["--api", "--once", "--program", Program.doorward, "--folder", folder.path], in: folder)
            #expect(occupied.code == 1)
            #expect(occupied.errors.contains("holds a database already"))
            let unknown = try await Program.run(Self.script, ["--forever"], in: folder)
            #expect(unknown.code == 2)
            #expect(unknown.errors.contains("scripts/demo [--api | --mqtt]"))
        }
    }
}
