import Foundation
import Testing

extension EndToEnd {
    @Suite("Client commands on a terminal", InDailyHouse(), .serialized, .timeLimit(.minutes(30))) struct ClientTerminalTests {
        private let day: DailyHouse

        init() throws { day = try InDailyHouse.house }

        private func start(
            _ arguments: String..., by shell: Shell? = nil, columns: UInt16 = 120, environment: [String: String] = [:]
        ) throws -> TerminalProgram {
            let shell = shell ?? day.owner
            return try TerminalProgram(
                Program.doorward, arguments, size: .init(columns: columns, rows: 24),
                environment: shell.environment.merging(environment) { _, new in new }, in: shell.folder)
        }

        /// Attaches a lock that never confirms.
        private func silentLock(_ name: String) async throws -> String {
            let id = try await day.house.lock(name, address: #""latencyMs":0"#)
            let event = try await day.house.owner.post("/simulator/devices/\(id)/events", #"{"event":"lose_confirmations"}"#)
            try #require(event.status == 200, "\(event.body)")
            return id
        }

        @Test("a progress line counts the seconds, Ctrl-C ends the waiting, and the line is erased")
        func progress() async throws {
            let lock = try await silentLock("Silent door")
            let program = try start("unlock", "Silent door", "--timeout", "60")
            try await program.read(until: "\r\u{1B}[KUnlocking Silent door … 0 s")
            // On a busy machine some seconds may not be shown.
            _ = try await program.read(until: "a later second") { shown in
                shown.firstMatch(of: #/\r\u{1B}\[KUnlocking Silent door … [1-9][0-9]* s/#)?.range.upperBound
            }
            try await day.house.untilCommanded(lock)
            program.press(.controlC)
            let rest = await program.rest()
            #expect(
                rest.hasSuffix(
                    "\r\u{1B}[Kdoorward: stopped waiting; the command may still be carried out\r\n"
                        + "  its state: doorward status \(lock)\r\n  what became of it: doorward log \(lock)\r\n"), "\(rest)")
            #expect(await program.exitCode == 1)
        }

        @Test("the progress line never takes two rows, for any name and window width")
        func narrowProgress() async throws {
            let name = "The front door of the house behind the house"
            _ = try await silentLock(name)
            let program = try start("lock", name, "--timeout", "60", columns: 30)
            let first = try await program.read(until: " … 0 s")
            #expect(first == "\r\u{1B}[KLocking The front door… … 0 s", "29 columns")
            program.press(.controlC)
            #expect(await program.exitCode == 1)
        }

        @Test("the result is printed as one sentence after the progress line has been erased")
        func done() async throws {
            let program = try start("unlock", "Front door")
            #expect(await program.rest().hasSuffix("\r\u{1B}[KFront door is \u{1B}[33munlocked\u{1B}[0m.\r\n"))
            #expect(await program.exitCode == 0)
            let again = try start("lock", "Cellar")
            #expect(await again.rest().hasSuffix("\r\u{1B}[KCellar is \u{1B}[32mlocked\u{1B}[0m, as it was already.\r\n"))
        }

        @Test("a table has headings, columns and colours")
        func table() async throws {
            let lines = try await start("locks", "--unit", "1a", columns: 200).rest().components(separatedBy: "\r\n")
            let heading = try #require(lines.first)
            #expect(heading.hasPrefix("\u{1B}[2mNAME\u{1B}[0m  "))
            let cellar = try #require(lines.first { $0.hasPrefix("Cellar ") })
            #expect(cellar.contains("\u{1B}[32mlocked\u{1B}[0m"))
            func plain(_ text: String) -> String { text.replacing(#/\u{1B}\[[0-9]+m/#, with: "") }
            #expect(
                plain(heading).firstRange(of: "STATE")?.lowerBound.utf16Offset(in: plain(heading))
                    == plain(cellar).firstRange(of: "locked")?.lowerBound.utf16Offset(in: plain(cellar)))
        }

        @Test(
            "NO_COLOR turns colours off, and a terminal that cannot redraw gets no progress line",
            arguments: ["NO_COLOR", "TERM"])
        func plain(variable: String) async throws {
            let environment = [variable: variable == "TERM" ? "dumb" : "1"]
            let table = try await start("locks", environment: environment).rest()
            #expect(table.hasPrefix("NAME  ") && !table.contains("\u{1B}"), "\(table)")
            let moved = try await start("lock", "Front door", environment: environment).rest()
            #expect(moved.contains("Front door is locked"))
            #expect(!moved.contains(#/\u{1B}\[[0-9]+m/#))
            if variable == "TERM" { #expect(!moved.contains("\u{1B}")) }
        }

        @Test("a table fits the window, and --wide shows it in full", arguments: ["locks", "grants", "log", "discovered"])
        func narrowTable(command: String) async throws {
            let plain = ["NO_COLOR": "1"]
            let fitted = try await start(command, columns: 80, environment: plain).rest().components(separatedBy: "\r\n")
            #expect(fitted.allSatisfy { $0.count <= 80 }, "\(fitted)")
            let wide = try await start(command, "--wide", columns: 80, environment: plain).rest()
            #expect(!wide.contains("…"), "\(wide)")
            if command == "locks" { #expect(wide.contains("  Quay 1 / 1a  \(day.doorID)\r\n")) }
            if command == "grants" { #expect(wide.contains(day.guestAccesses[0])) }
        }

        @Test("the short id that a table shows is accepted by every command that takes an id")
        func shortIDs() async throws {
            func row(_ command: String, _ name: String) async throws -> String {
                let lines = try await start(command, columns: 80, environment: ["NO_COLOR": "1"]).rest()
                    .components(separatedBy: "\r\n")
                return try #require(lines.first { $0.hasPrefix(name) }, "\(lines)")
            }
            let cellar = String(try #require(try await row("locks", "Cellar ").split(separator: " ").last))
            #expect(cellar.count < 36 && cellar.count >= 8)
            let status = try await day.owner.run("status", cellar)
            #expect(status.rows.first == ["name", "Cellar"], "\(status.errors)")
            #expect(try await day.owner.run("status", cellar.uppercased()).code == 0)
            #expect(try await day.owner.run("log", cellar).rows.allSatisfy { $0[3] == "Cellar" })
            let several = try await day.owner.run("status", String(day.doorID.prefix(6)))
            #expect(several.code == 1)
            #expect(
                several.errors.hasPrefix(
                    "doorward: The id of more than one lock begins with `\(day.doorID.prefix(6))`. Type more of it:\n"),
                "\(several.errors)")
            #expect(try await day.owner.run("status", String(day.doorID.prefix(5))).errors.contains("There is no lock named"))
            let granted = try await day.owner.run(
                "grant", "Short", "--label", cellar, "--from", "now", "--until", "+1h", "--json")
            let id = try #require(try granted.json["guestAccess"]["id"].text, "\(granted.errors)")
            let access = String(try #require(try await row("grants", "Short ").split(separator: " ").last))
            #expect(id.hasPrefix(access) && access.count < 36)
            #expect(try await day.owner.run("revoke", access).output == "\(id)\trevoked\n")
        }

        @Test("locks are followed on the whole screen until Ctrl-C, and the earlier screen is restored")
        func followLocks() async throws {
            let lock = try await day.house.lock("Followed door", address: #""latencyMs":0"#)
            let program = try start("locks", "--follow", columns: 100, environment: ["NO_COLOR": "1"])
            try await program.read(until: "\u{1B}[?1049h")
            _ = try await program.read(until: "the lock's first state") { shown in
                shown.firstMatch(of: #/Followed door +locked .*?Ctrl-C ends/#.dotMatchesNewlines())?.range.upperBound
            }
            #expect(try await day.house.owner.post("/devices/\(lock)/unlock", "{}").status == 200)
            _ = try await program.read(until: "the lock's changed state") { shown in
                shown.firstMatch(of: #/Followed door +unlocked /#)?.range.upperBound
            }
            program.press(.controlC)
            #expect(await program.rest().hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
            #expect(await program.exitCode == 0)
            #expect(program.terminal.isEchoing && program.terminal.isLineByLine)
        }

        @Test("detach asks and shows what ends, and only `yes` detaches")
        func detach() async throws {
            let lock = try await day.house.lock("Old door", address: #""latencyMs":0"#)
            let granted = try await day.owner.run("grant", "Nina", "--label", "Old door", "--from", "now", "--until", "+1h")
            #expect(granted.code == 0, "\(granted.errors)")
            for answer in ["", "n", "maybe"] {
                let program = try start("detach", answer.isEmpty ? "Old door" : lock)
                try await program.read(until: "Detach Old door? 1 guest access ends for it. [y/N] ")
                program.type(answer)
                program.press(.enter)
                #expect(await program.rest().hasSuffix("doorward: Nothing was detached.\r\n"))
                #expect(await program.exitCode == 1)
            }
            let program = try start("detach", "Old door")
            try await program.read(until: "[y/N] ")
            program.type("Yes")
            program.press(.enter)
            #expect(await program.rest().contains("Detached Old door.\r\n  its history: doorward log \(lock)\r\n"))
            #expect(try await day.owner.run("status", "Old door").code == 1)
        }

        @Test("the log is followed in columns and local time until Ctrl-C, which exits 0")
        func follow() async throws {
            let program = try start("log", "Front door", "--follow")
            try await program.read(until: "RESULT")
            #expect(try await day.house.owner.post("/devices/\(day.doorID)/unlock", #"{"reason":"followed"}"#).status == 200)
            let line = try await program.read(until: "\u{1B}[32mconfirmed\u{1B}[0m")
            #expect(!line.contains("Z"), "local time")
            program.press(.controlC)
            #expect(await program.exitCode == 0)
            #expect(program.terminal.isEchoing)
        }

        @Test("login asks for the password without showing it")
        func login() async throws {
            let program = try start("login", "--server", day.gateway.address, "--email", "owner@doors.example", by: day.nobody)
            try await program.read(until: "Password of owner@doors.example: ")
            #expect(!program.terminal.isEchoing)
            program.type(RunningGateway.password)
            program.press(.enter)
            #expect(await program.rest() == "\r\nsigned in at \(day.gateway.address) as Olga Example\r\n")
            #expect(await program.exitCode == 0)
            #expect(program.terminal.isEchoing)
            #expect(try await start("logout", by: day.nobody).rest().hasPrefix("signed out: "))
        }

        @Test("a name that several locks have lists them with their places and ids")
        func candidates() async throws {
            let program = try start("status", "twin")
            let shown = await program.rest()
            #expect(await program.exitCode == 1)
            #expect(shown.hasPrefix("doorward: More than one lock is named `twin`. Use the id of one of them:\r\n  "))
            #expect(shown.split(separator: "\r\n").dropFirst().allSatisfy { $0.contains("Quay 1 / 1a") })
            #expect(!shown.contains("\u{1B}"))
        }

        @Test("an empty list prints a sentence on a terminal and nothing in a pipe", arguments: ["locks", "grants", "log"])
        func nothing(command: String) async throws {
            let admin = try await day.gateway.signIn(RunningGateway.adminEmail)
            _ = try await House.createUser("\(command)@doors.example", "Nell", by: admin)
            let shell = try await Shell.signedIn("\(command)@doors.example", on: day.gateway)
            let sentences = [
                "locks": "You see no locks.", "grants": "There are no guest accesses.", "log": "There are no such records.",
            ]
            #expect(try await start(command, by: shell).rest() == sentences[command].map { "\($0)\r\n" })
            #expect(try await shell.run(command).output.isEmpty)
        }
    }
}
