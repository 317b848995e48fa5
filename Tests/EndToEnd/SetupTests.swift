import DoorwardDomain
import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// The first start of the built program: the line `set up at …`, and what its link does.
    @Suite("The first start", .timeLimit(.minutes(30))) struct SetupTests {
        private static let person =
            #""email":"\#(RunningGateway.adminEmail)","firstName":"Ada","password":"\#(RunningGateway.password)""#
        private static let places = #""portfolio":{"name":"Home"},"property":{"name":"Quay 1"},"unit":{"name":"1A"}"#

        /// Starts a gateway and reads the second line that it prints.
        private func start(
            in folder: TemporaryFolder, _ options: [String] = []
        ) async throws -> (gateway: RunningGateway, url: Substring, token: String) {
            let gateway = try await RunningGateway.start(in: folder, options)
            let line = try #require(await gateway.program.nextLine())
            let found = try #require(
                line.wholeMatch(of: /set up at (https?:\/\/[^#]+\/setup)#token=([A-Za-z0-9_-]{43})/), "\(line)")
            return (gateway, found.1, String(found.2))
        }

        private func setUp(_ gateway: RunningGateway, _ token: String, _ more: String = "") async throws -> Answer {
            let headers = ["Content-Type": "application/json", "X-Doorward-Setup-Token": token]
            return try await gateway.stranger.send(.PUT, "/setup", Array("{\(Self.person)\(more)}".utf8), headers)
        }

        private func status(_ gateway: RunningGateway, _ token: String) async throws -> Int {
            try await gateway.stranger.send(.GET, "/setup", nil, ["X-Doorward-Setup-Token": token]).status
        }

        @Test("the link of the start line leads from an empty folder to an unlocked simulated lock, once")
        func first() async throws {
            let folder = try TemporaryFolder()
            let (gateway, url, token) = try await start(in: folder)
            #expect(url == "\(gateway.address)/setup")
            #expect(try await status(gateway, token) == 200)
            let made = try await setUp(gateway, token, ",\(Self.places),\"simulatedLocks\":true")
            #expect(made.status == 201, "\(made.body)")
            let admin = Caller(address: gateway.address, token: made.data["token"].text)
            let door = try #require(try await admin.get("/devices").data["devices"].items.first?["id"].text)
            #expect(try await admin.post("/devices/\(door)/unlock", "{}").data["device"]["state"] == .string("UNLOCKED"))
            #expect(try await setUp(gateway, token).status == 401)
            #expect(await gateway.stop() == 0)

            let again = try await RunningGateway.start(in: folder)
            #expect(try await status(again, token) == 401)
            #expect(try await again.signIn(RunningGateway.adminEmail).get("/devices").data["devices"].items.count == 1)
            #expect(await again.stop() == 0)
            #expect(await again.program.rest().isEmpty, "a gateway with a super admin offers no set-up")
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("each start has another token, the link begins with gateway.publicUrl, and the log has it too")
        func restarted() async throws {
            let folder = try TemporaryFolder()
            let (first, _, old) = try await start(in: folder, ["--log-level", "notice"])
            #expect(await first.stop() == 0)
            #expect(try logs(in: folder).contains(Self.warning))
            let config = try folder.write("gateway: { publicUrl: 'https://doors.example/' }\n", to: "doorward.yaml")
            let (second, url, token) = try await start(in: folder, ["--config", config, "--log-level", "notice"])
            #expect(url == "https://doors.example/setup" && token != old)
            #expect(try await status(second, old) == 401)
            #expect(try await setUp(second, token).status == 201)
            #expect(await second.stop() == 0)
            let text = try logs(in: folder)
            #expect(text.contains("https://doors.example/setup#token=\(token)") && text.count(of: token) == 1)
            #expect(text.count(of: Self.warning) == 1, "the second link works on other machines")
        }

        /// What the gateways of a folder have logged.
        private func logs(in folder: TemporaryFolder) throws -> String {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") }
                .map { try String(contentsOfFile: folder.file($0), encoding: .utf8) }.joined()
        }

        /// Starts a gateway on an empty folder and sends a set-up, of which it can write that many bytes: what it writes beyond them fails, or ends it
        /// with a signal. Then kills the gateway.
        ///
        /// - Parameter room: how much longer the write-ahead log can become; `nil` for no limit.
        /// - Returns: whether the set-up was answered with success, and how much longer the log has become.
        private func setUpAndKill(in folder: TemporaryFolder, room: Int?) async throws -> (isAnswered: Bool, written: Int) {
            let (gateway, _, token) = try await start(in: folder)
            func logBytes() throws -> Int {
                try #require(try FileManager.default.attributesOfItem(atPath: folder.file("doorward.db-wal"))[.size] as? Int)
            }
            let before = try logBytes()
            if let room {
                let limit = ["prlimit", "--pid", "\(gateway.program.processID)", "--fsize=\(before + room):"]
                try #require(try await Program.run("/usr/bin/env", limit, in: folder).code == 0)
            }
            let answer = try? await setUp(gateway, token, ",\(Self.places),\"simulatedLocks\":true")
            await gateway.crash()
            return (answer?.status == 201, try logBytes() - before)
        }

        @Test("a gateway that ends at any point of the write has all of the set-up after the next start, or nothing of it")
        func killed() async throws {
            let whole = try await setUpAndKill(in: TemporaryFolder(), room: nil)
            try #require(whole.isAnswered && whole.written > 0)
            var outcomes: [(room: Int, isSetUp: Bool)] = []
            // From the first byte of the set-up to the last pages of the session that follows it.
            for room in [0, 1, whole.written / 4, whole.written / 2, whole.written * 3 / 4, whole.written - 2 * Self.pageBytes] {
                let folder = try TemporaryFolder()
                let end = try await setUpAndKill(in: folder, room: room)
                #expect(!end.isAnswered && end.written <= room, "\(room): the write has ended in the middle")
                let running = try await RunningGateway.start(in: folder)
                let answer = try await running.stranger.post(
                    "/auth/login", #"{"email":"\#(RunningGateway.adminEmail)","password":"\#(RunningGateway.password)"}"#)
                outcomes.append((room, answer.status == 200))
                if answer.status == 200 {
                    let admin = Caller(address: running.address, token: answer.data["token"].text)
                    for list in ["portfolios", "properties", "units", "devices"] {
                        #expect(try await admin.get("/\(list)").data[list].items.count == 1, "\(room): \(list)")
                    }
                } else {
                    let line = try #require(await running.program.nextLine())
                    let next = try #require(line.firstMatch(of: /#token=(.+)$/)?.1)
                    #expect(try await setUp(running, String(next), ",\(Self.places)").status == 201)
                }
                #expect(await running.stop() == 0)
                try await RunningGateway.verifyLogs(in: folder)
            }
            #expect(outcomes.first?.isSetUp == false && outcomes.last?.isSetUp == true, "\(outcomes)")
        }

        /// A page in the write-ahead log, with its header.
        private static let pageBytes = 4096 + 24

        @Test("on a terminal the QR code of the link follows it, if other machines reach the address")
        func terminal() async throws {
            for (publicURL, shown) in [("https://doors.example", "▀"), (nil, Self.warning)] {
                let folder = try TemporaryFolder()
                var environment = RunningGateway.environment(for: folder)
                environment["DOORWARD_GATEWAY_PUBLIC_URL"] = publicURL
                let program = try TerminalProgram(
                    Program.doorward, ["serve", "--log-level", "notice"], size: .init(columns: 120, rows: 60),
                    environment: environment, in: folder)
                try await program.read(until: "set up at \(publicURL ?? "http://127.0.0.1:")")
                try await program.read(until: shown)
                program.press(.controlC)
                #expect(await program.exitCode == 0)
                _ = await program.rest()
                let all = program.shown
                #expect(all.contains("▀") == (publicURL != nil) && all.contains(Self.warning) == (publicURL == nil))
            }
        }

        /// The beginning of what is logged if other machines do not reach the address.
        private static let warning = "This link works only on the gateway's own machine."
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
