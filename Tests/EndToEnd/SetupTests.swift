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
            let (first, _, old) = try await start(in: folder)
            #expect(await first.stop() == 0)
            let config = try folder.write("gateway: { publicUrl: 'https://doors.example/' }\n", to: "doorward.yaml")
            let (second, url, token) = try await start(in: folder, ["--config", config, "--log-level", "notice"])
            #expect(url == "https://doors.example/setup" && token != old)
            #expect(try await status(second, old) == 401)
            #expect(try await setUp(second, token).status == 201)
            #expect(await second.stop() == 0)
            let logs = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") }
            let text = try logs.map { try String(contentsOfFile: folder.file($0), encoding: .utf8) }.joined()
            #expect(text.contains("https://doors.example/setup#token=\(token)") && text.count(of: token) == 1)
        }

        @Test("a gateway that is killed while it is set up has all of the set-up or nothing of it")
        func killed() async throws {
            var random = Seed(of: "killed while it is set up").generator()
            for _ in 0..<6 {
                let folder = try TemporaryFolder()
                let (gateway, _, token) = try await start(in: folder)
                let request = Task { try? await setUp(gateway, token, ",\(Self.places),\"simulatedLocks\":true").status }
                // From before the request arrives until after its answer.
                for _ in 0..<Int.random(in: 0...40, using: &random) { _ = try? await gateway.stranger.get("//healthz") }
                await gateway.crash()
                let wasAnswered = await request.value == 201
                let running = try await RunningGateway.start(in: folder)
                let answer = try await running.stranger.post(
                    "/auth/login", #"{"email":"\#(RunningGateway.adminEmail)","password":"\#(RunningGateway.password)"}"#)
                if answer.status == 200 {
                    let admin = Caller(address: running.address, token: answer.data["token"].text)
                    for list in ["portfolios", "properties", "units", "devices"] {
                        #expect(try await admin.get("/\(list)").data[list].items.count == 1, "\(list)")
                    }
                } else {
                    #expect(!wasAnswered)
                    let line = try #require(await running.program.nextLine())
                    let next = try #require(line.firstMatch(of: /#token=(.+)$/)?.1)
                    #expect(try await setUp(running, String(next), ",\(Self.places)").status == 201)
                }
                #expect(await running.stop() == 0)
                try await RunningGateway.verifyLogs(in: folder)
            }
        }

        @Test("on a terminal the QR code of the link follows it")
        func terminal() async throws {
            let folder = try TemporaryFolder()
            let program = try TerminalProgram(
                Program.doorward, ["serve"], size: .init(columns: 120, rows: 60),
                environment: RunningGateway.environment(for: folder), in: folder)
            try await program.read(until: "set up at http://127.0.0.1:")
            try await program.read(until: "▀")
            program.press(.controlC)
            #expect(await program.exitCode == 0)
        }
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
