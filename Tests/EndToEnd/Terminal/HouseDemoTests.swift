import Foundation
import Testing

extension EndToEnd {
    /// `doorward demo`: a house in which people live, on a terminal and in a pipe.
    @Suite("The demo's house", .timeLimit(.minutes(30))) struct HouseDemoTests {
        private let folder: TemporaryFolder
        /// What would become the demo's temporary folder stands in here.
        private var environment: [String: String] { ["TMPDIR": folder.path + "/"] }

        init() throws { folder = try TemporaryFolder() }

        private var leftOver: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("doorward-demo") }
            }
        }

        private func program(
            _ options: String..., size: PseudoTerminal.Size = .init(), environment: [String: String] = [:]
        ) throws -> TerminalProgram {
            try TerminalProgram(
                Program.doorward, ["demo"] + options, size: size, environment: self.environment.merging(environment) { $1 },
                in: folder)
        }

        @Test(
            "on a terminal the doors and what happens are drawn; Ctrl-C and Ctrl-\\ give it back and say what became of it all",
            arguments: [TerminalProgram.Key.controlC, .controlBackslash])
        func drawn(end: TerminalProgram.Key) async throws {
            let demo = try program("--speed", "120", size: .init(columns: 160, rows: 30))
            // The other screen, without a cursor.
            try await demo.read(until: "\u{1B}[?1049h\u{1B}[?25l")
            try await demo.read(until: "Quay entrance")
            try await demo.read(until: "\(Program.doorward) login")
            try await demo.read(until: "--server http://127.0.0.1:")
            try await demo.read(until: "Gus Guest unlocked Door 1A")
            #expect(!demo.terminal.isEchoing)
            #expect(!demo.terminal.isLineByLine)
            #expect(try !leftOver.isEmpty)
            demo.press(end)
            let rest = await demo.rest()
            #expect(await demo.exitCode == 0)
            #expect(rest.hasSuffix("\u{1B}[?25h\u{1B}[?1049lThe demo is over, and its database is removed.\r\n"), "\(rest)")
            #expect(demo.terminal.isEchoing)
            #expect(demo.terminal.isLineByLine)
            #expect(try leftOver.isEmpty)
        }

        @Test("another size is another picture at once, s shows the sign-ins, q ends it; NO_COLOR is respected")
        func keys() async throws {
            let demo = try program(environment: ["NO_COLOR": "1"])
            try await demo.read(until: "Balcony 4B")
            demo.resize(to: .init(columns: 40, rows: 24))
            try await demo.read(until: "\u{1B}[2J")
            try await demo.read(until: "more doors")
            demo.type("s")
            try await demo.read(until: "Everybody signs in")
            try await demo.read(until: "noel")
            demo.type("s")
            try await demo.read(until: "what happens")
            demo.type("q")
            #expect(await demo.rest().contains("The demo is over"))
            #expect(await demo.exitCode == 0)
            #expect(!demo.shown.contains(#/\u{1B}\[[0-9]+m/#), "no colour")
        }

        @Test("a terminal that cannot be drawn on gets lines")
        func dumb() async throws {
            let demo = try program("--speed", "120", environment: ["TERM": "dumb"])
            try await demo.read(until: "Gus Guest unlocked Door 1A")
            demo.press(.controlC)
            #expect(await demo.rest().contains("The demo is over"))
            #expect(await demo.exitCode == 0)
            #expect(!demo.shown.contains("\u{1B}"))
        }

        /// The address and the password, read as a person would, from the lines before the first event.
        private func invitation(of demo: Program) async throws -> (address: String, password: String) {
            var lines: [String] = []
            while let line = await demo.nextLine(), !line.hasPrefix("Mon ") { lines.append(line) }
            let address = try #require(lines.first?.wholeMatch(of: /listening on (http:\/\/127\.0\.0\.1:[0-9]+)/)?.1)
            let place = try #require(lines.firstIndex { $0.hasPrefix("Everybody signs in as NAME@demo.example") })
            return (String(address), lines[place + 1].trimmingCharacters(in: .whitespaces))
        }

        @Test("in a pipe each event is a line; everybody can sign in; a folder that was named keeps a whole log")
        func lines() async throws {
            let kept = folder.file("a demo")
            let demo = try Program(
                Program.doorward, ["demo", "--speed", "120", "--folder", kept], environment: environment,
                errors: folder.file("errors"))
            let (address, password) = try await invitation(of: demo)
            for name in ["rita", "olga", "max", "gus", "clara", "tom", "noel"] {
                let answer = try await Caller(address: address, token: nil).post(
                    "/auth/login", #"{"email":"\#(name)@demo.example","password":"\#(password)"}"#)
                #expect(answer.status == 200, "\(name)")
            }
            while let line = await demo.nextLine() {
                #expect(line.contains(#/^Mon [0-9]{2}:[0-9]{2}\t\S/#))
                if line.hasSuffix("\tsomebody without access may not unlock Door 1A") { break }
            }
            demo.signal(SIGINT)
            let rest = await demo.rest()
            #expect(await demo.exitCode == 0)
            #expect(
                rest.hasSuffix(
                    "The demo is over. \(kept) keeps its database and key; everybody still signs in, such as "
                        + "tom@demo.example with the password \(password), on\n  \(Program.doorward) serve --store-path \(kept)/doorward.db\n"
                ), "\(rest)")
            let files = try FileManager.default.contentsOfDirectory(atPath: kept)
            #expect(files.allSatisfy { $0.hasPrefix("doorward.db") }, "nobody's session stays: \(files)")
            #expect(try String(contentsOfFile: folder.file("errors"), encoding: .utf8).isEmpty)
            try await RunningGateway.verifyLogs(in: folder, database: "\(kept)/doorward.db")
            let again = try await Program.run(Program.doorward, ["demo", "--folder", kept], in: folder)
            #expect(again.code == 1)
            #expect(again.errors == "doorward: \(kept) holds a database already: name an empty folder, or remove it\n")
        }

        @Test("SIGTERM and a reader who goes away end it in order, and nothing is left")
        func ended() async throws {
            let demo = try Program(Program.doorward, ["demo"], environment: environment, errors: folder.file("errors"))
            _ = try await invitation(of: demo)
            demo.signal(SIGTERM)
            #expect(await demo.exitCode == 0)
            let gone = try await Program.run(
                "/bin/sh", ["-c", #""$0" demo --speed 120 | head -n 1"#, Program.doorward], environment: environment, in: folder)
            #expect(gone.output.hasPrefix("listening on http://"))
            #expect(try leftOver.isEmpty)
        }

        @Test("who ends it before it has begun leaves nothing behind either")
        func early() async throws {
            let demo = try Program(Program.doorward, ["demo"], environment: environment, errors: folder.file("errors"))
            while try leftOver.isEmpty { await Task.yield() }
            demo.signal(SIGTERM)
            #expect(await demo.rest().hasSuffix("The demo is over, and its database is removed.\n"))
            #expect(await demo.exitCode == 0)
            #expect(try leftOver.isEmpty)
            #expect(try String(contentsOfFile: folder.file("errors"), encoding: .utf8).isEmpty)
        }

        @Test("a port that is taken is named, and nothing is left behind")
        func taken() async throws {
            let gateway = try await RunningGateway.start(in: folder)
            let result = try await Program.run(
                Program.doorward, ["demo", "--port", gateway.port], environment: environment, in: folder)
            #expect(result.code == 1)
            #expect(
                result.errors.hasPrefix("doorward: the HTTP server at http://127.0.0.1:\(gateway.port) failed"),
                "\(result.errors)")
            #expect(try leftOver.isEmpty)
            #expect(await gateway.stop() == 0)
        }

        @Test(
            "options that make no sense are wrong usage",
            arguments: [["--speed", "0"], ["--speed", "121"], ["--port", "70000"]])
        func usage(_ options: [String]) async throws {
            let result = try await Program.run(Program.doorward, ["demo"] + options, environment: environment, in: folder)
            #expect(result.code == 2)
            #expect(try leftOver.isEmpty)
        }
    }
}
