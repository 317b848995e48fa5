import Foundation
import Testing

extension EndToEnd {
    /// `doorward demo`, on a terminal and in a pipe.
    @Suite("doorward demo", .timeLimit(.minutes(30))) struct HouseDemoTests {
        private let folder: TemporaryFolder
        /// Moves the demo's temporary folder into the test's folder.
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
            "on a terminal the demo draws doors and events; Ctrl-C and Ctrl-\\ restore the terminal and print what was removed",
            arguments: [TerminalProgram.Key.controlC, .controlBackslash])
        func drawn(end: TerminalProgram.Key) async throws {
            let demo = try program("--speed", "120", size: .init(columns: 160, rows: 30))
            // Wait for the alternate screen with the cursor hidden.
            try await demo.read(until: "\u{1B}[?1049h\u{1B}[?25l")
            try await demo.read(until: "Gus Guest unlocked Door 1A")
            for text in ["Quay entrance", "\(Program.doorward) login", "--server http://127.0.0.1:"] {
                #expect(demo.shown.contains(text))
            }
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

        @Test("resizing redraws the screen, `s` shows the sign-ins, `q` quits, and NO_COLOR is respected")
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

        @Test("a terminal without cursor control gets plain lines")
        func dumb() async throws {
            let demo = try program("--speed", "120", environment: ["TERM": "dumb"])
            try await demo.read(until: "Gus Guest unlocked Door 1A")
            demo.press(.controlC)
            #expect(await demo.rest().contains("The demo is over"))
            #expect(await demo.exitCode == 0)
            #expect(!demo.shown.contains("\u{1B}"))
        }

        /// Reads the address and the password from the lines before the first event.
        private func invitation(of demo: Program) async throws -> (address: String, password: String) {
            var lines: [String] = []
            while let line = await demo.nextLine(), !line.hasPrefix("Mon ") { lines.append(line) }
            let address = try #require(lines.first?.wholeMatch(of: /listening on (http:\/\/127\.0\.0\.1:[0-9]+)/)?.1)
            let place = try #require(lines.firstIndex { $0.hasPrefix("Everybody signs in as NAME@demo.example") })
            return (String(address), lines[place + 1].trimmingCharacters(in: .whitespaces))
        }

        @Test("a link opens the console as its person once, from this machine only, and a gateway of `serve` has no such links")
        func consoleLinks() async throws {
            let demo = try Program(Program.doorward, ["demo"], environment: environment, errors: folder.file("errors"))
            var (links, address): ([String: String], String?) = ([:], nil)
            while let line = await demo.nextLine(), !line.hasPrefix("Mon ") {
                #expect(!line.hasPrefix("set up at"))
                if let listening = line.wholeMatch(of: /listening on (\S+)/) { address = String(listening.1) }
                if let link = line.wholeMatch(of: ##/  (\S+) +(\S+)/#sign-in=([A-Za-z0-9_-]{22})/##), link.2 == address ?? "" {
                    links[String(link.1)] = String(link.3)
                }
            }
            let server = try #require(address)
            #expect(links.count == 17 && Set(links.values).count == 17, "\(links.keys)")
            func open(_ token: String?, _ headers: [String: String] = [:], at server: String) async throws -> Answer {
                try await Caller(address: server, token: nil).post("//demo/sign-in", #"{"token":"\#(token ?? "x")"}"#, headers)
            }
            // Through a proxy there is no such route, and the link is not used up.
            #expect(try await open(links["tom"], ["X-Forwarded-For": "127.0.0.1"], at: server).status == 404)
            let first = try await open(links["tom"], at: server)
            #expect(first.status == 200 && first.data["user"]["email"].text == "tom@demo.example")
            #expect(try await open(links["tom"], at: server).status == 401)
            #expect(try await open("AAAAAAAAAAAAAAAAAAAAAA", at: server).status == 401)
            demo.signal(SIGTERM)
            #expect(await demo.exitCode == 0)
            let gateway = try await RunningGateway.start(in: folder)
            #expect(try await open(links["olga"], at: gateway.address).status == 404)
            #expect(await gateway.stop() == 0)
        }

        @Test("in a pipe each event is a line, all users can sign in, and a folder given with --folder keeps a valid log")
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
                        + "tom@demo.example with the password \(password), on\n  \(Program.doorward) serve --store-path '\(kept)/doorward.db'\n"
                ), "\(rest)")
            let files = try FileManager.default.contentsOfDirectory(atPath: kept)
            #expect(files.allSatisfy { $0.hasPrefix("doorward.db") }, "no session file remains: \(files)")
            #expect(try String(contentsOfFile: folder.file("errors"), encoding: .utf8).isEmpty)
            try await RunningGateway.verifyLogs(in: folder, database: "\(kept)/doorward.db")
            let again = try await Program.run(Program.doorward, ["demo", "--folder", kept], in: folder)
            #expect(again.code == 1)
            #expect(again.errors == "doorward: \(kept) contains a database already: name an empty folder, or remove it\n")
        }

        @Test("a scenario file is played with its own locks and people, who can sign in even after the last event")
        func scenario() async throws {
            let file = try folder.write(
                """
                locks: [Front door, Flat 1]
                days: 1
                visitors: [{ name: Ada Ames, door: Flat 1, frontDoor: Front door, days: sun }]
                events:
                  - { at: 00:20, lock: Flat 1, command: unlock, by: Max }
                  - { at: 00:21, lock: Flat 1, do: jam }
                  - { at: 00:22, lock: Front door, command: lock, by: Ada Ames }
                """, to: "house.yaml")
            let kept = folder.file("a demo")
            let demo = try Program(
                Program.doorward, ["demo", "--scenario", file, "--speed", "120", "--folder", kept], environment: environment,
                errors: folder.file("errors"))
            let (address, password) = try await invitation(of: demo)
            var events: [String] = []
            while events.count < 3, let line = await demo.nextLine() {
                events.append(String(line.drop { $0 != "\t" }.dropFirst()))
            }
            // `invitation(of:)` has already read the first event, Olga's grant to Ada.
            #expect(events == ["Max Manager unlocked Flat 1", "Flat 1 is jammed", "Ada Ames Guest locked Front door"])
            for name in ["ada.ames", "max", "olga"] {
                let answer = try await Caller(address: address, token: nil).post(
                    "/auth/login", #"{"email":"\#(name)@demo.example","password":"\#(password)"}"#)
                #expect(answer.status == 200, "\(name)")
            }
            demo.signal(SIGINT)
            #expect(await demo.rest().contains("such as olga@demo.example with the password \(password)"))
            #expect(await demo.exitCode == 0)
            #expect(try String(contentsOfFile: folder.file("errors"), encoding: .utf8).isEmpty)
            try await RunningGateway.verifyLogs(in: folder, database: "\(kept)/doorward.db")
        }

        @Test(
            "a scenario file with errors is rejected with the line of each error, and no file is created",
            arguments: [
                (
                    "locks: [Flat 1]\nsed: 1\nresidents:\n  - { name: Ada, door: Flta 1 }\n",
                    [
                        ", line 2: `sed` is not a key of a scenario; did you mean `seed`?",
                        ", line 4: `door`: `Flta 1` is not a lock of this scenario; did you mean `Flat 1`?",
                    ]
                ), ("", [", line 1: the file is empty"]), (nil, [": the file cannot be read"]),
            ])
        func mistaken(_ yaml: String?, _ mistakes: [String]) async throws {
            let file = try yaml.map { try folder.write($0, to: "house.yaml") } ?? folder.file("house.yaml")
            let result = try await Program.run(
                Program.doorward, ["demo", "--scenario", file], environment: environment, in: folder)
            #expect(result.code == 1)
            #expect(result.errors == "doorward: the scenario has mistakes:\n" + mistakes.map { "\(file)\($0)\n" }.joined())
            #expect(result.output.isEmpty)
            #expect(try leftOver.isEmpty)
        }

        @Test("SIGTERM and a closed pipe end the demo, and no files remain")
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

        @Test("a demo that is ended before it has begun leaves no files behind")
        func early() async throws {
            let demo = try Program(Program.doorward, ["demo"], environment: environment, errors: folder.file("errors"))
            while try leftOver.isEmpty { await Task.yield() }
            demo.signal(SIGTERM)
            #expect(await demo.rest().hasSuffix("The demo is over, and its database is removed.\n"))
            #expect(await demo.exitCode == 0)
            #expect(try leftOver.isEmpty)
            #expect(try String(contentsOfFile: folder.file("errors"), encoding: .utf8).isEmpty)
        }

        @Test("a port in use is reported, and no files remain")
        func taken() async throws {
            let gateway = try await RunningGateway.start(in: folder)
            let result = try await Program.run(
                Program.doorward, ["demo", "--port", gateway.port], environment: environment, in: folder)
            #expect(result.code == 1)
            #expect(
                result.errors.hasPrefix("doorward: port \(gateway.port) of 127.0.0.1 is taken by another program"),
                "\(result.errors)")
            #expect(try leftOver.isEmpty)
            #expect(await gateway.stop() == 0)
        }

        @Test(
            "invalid option values are wrong usage",
            arguments: [["--speed", "0"], ["--speed", "121"], ["--port", "70000"]])
        func usage(_ options: [String]) async throws {
            let result = try await Program.run(Program.doorward, ["demo"] + options, environment: environment, in: folder)
            #expect(result.code == 2)
            #expect(try leftOver.isEmpty)
        }
    }
}
