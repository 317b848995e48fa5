import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward admin recover", .timeLimit(.minutes(30))) struct RecoverTests {
        private let folder: TemporaryFolder
        private static let newPassword = "a new sentence for tests"

        init() throws { folder = try TemporaryFolder() }

        private func recover(_ email: String = RunningGateway.adminEmail, _ options: [String] = []) async throws -> (
            code: Int32, output: String, errors: String
        ) {
            try await Program.run(
                Program.doorward, ["admin", "recover", "--email", email] + options,
                environment: RunningGateway.environment(for: folder), in: folder)
        }

        private func makeAdmin() async throws {
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
        }

        private func status(of token: String, at gateway: RunningGateway) async throws -> Int {
            try await gateway.stranger.post(
                "/auth/reset-password", #"{"token":"\#(token)","newPassword":"\#(Self.newPassword)"}"#
            ).status
        }

        private func status(ofPassword password: String, at gateway: RunningGateway) async throws -> Int {
            try await gateway.stranger.post(
                "/auth/login", #"{"email":"\#(RunningGateway.adminEmail)","password":"\#(password)"}"#
            ).status
        }

        @Test("in a pipe the link is one line with its expiry, and sets a new password once")
        func once() async throws {
            try await makeAdmin()
            let made = try await recover()
            #expect(made.code == 0)
            #expect(
                made.errors
                    == "doorward: the link lacks the gateway's address, because gateway.publicUrl is not set; put it before the path\n"
            )
            let line = try #require(
                made.output.wholeMatch(of: #/\/reset-password#token=([A-Za-z0-9_-]{43,})\t(20[0-9-]+T[0-9:.]+Z)\n/#))
            let token = String(line.1)
            let gateway = try await RunningGateway.start(in: folder)
            #expect(try await status(ofPassword: RunningGateway.password, at: gateway) == 200, "making a link changes nothing")
            #expect(try await status(of: token, at: gateway) == 204)
            #expect(try await status(ofPassword: RunningGateway.password, at: gateway) == 401)
            #expect(try await status(ofPassword: Self.newPassword, at: gateway) == 200)
            #expect(try await status(of: token, at: gateway) == 401, "the link was already used")
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: folder)
        }

        @Test("a second link replaces the first, and the JSON is that of the API, with the public URL")
        func second() async throws {
            try await makeAdmin()
            let config = try folder.write("gateway: { publicUrl: 'https://doors.example/' }\n", to: "doorward.yaml")
            let reset = { (options: [String]) async throws -> JSON in
                let made = try await recover(RunningGateway.adminEmail, options)
                #expect(made.code == 0)
                #expect(made.errors.isEmpty == options.contains(config), "a warning is printed only without the public URL")
                return try JSONDecoder().decode(JSON.self, from: Data(made.output.utf8))["reset"]
            }
            let first = try #require(try await reset(["--json"])["token"].text)
            let answer = try await reset(["--json", "--config", config])
            let token = try #require(answer["token"].text)
            #expect(answer["url"].text == "https://doors.example/reset-password#token=\(token)")
            #expect(answer["expiresAt"].text?.hasSuffix("Z") == true)
            let gateway = try await RunningGateway.start(in: folder)
            #expect(try await status(of: first, at: gateway) == 401)
            #expect(try await status(of: token, at: gateway) == 204)
            #expect(await gateway.stop() == 0)
        }

        @Test("on a terminal the output names the user and the expiry and shows how to use the token without a web page")
        func atTerminal() async throws {
            try await makeAdmin()
            let program = try TerminalProgram(
                Program.doorward, ["admin", "recover", "--email", "ROOT@doors.example"], size: .init(columns: 200, rows: 24),
                environment: RunningGateway.environment(for: folder), in: folder)
            let shown = await program.rest()
            #expect(await program.exitCode == 0)
            #expect(
                shown.contains(#/root@doors.example can set a new password, once and until 20[0-9-]+ [0-9:]+, with this link:/#))
            let link = try #require(shown.firstMatch(of: #/  \/reset-password#token=([A-Za-z0-9_-]+)\r\n/#))
            #expect(shown.contains(#"{"token":"\#(link.1)","newPassword":"…"}"#))
            #expect(shown.contains("  the link lacks the gateway's address, because gateway.publicUrl is not set"))
            // No address is printed, because port 0 of the tests is not a real port.
            #expect(shown.contains("/api/v1/auth/reset-password"))
        }

        @Test("a running gateway locks the database, and no link is created")
        func held() async throws {
            let gateway = try await RunningGateway.first(in: folder)
            let refused = try await recover()
            #expect(refused.code == 1)
            #expect(refused.output.isEmpty)
            #expect(
                refused.errors.hasPrefix("doorward: \(folder.file("doorward.db")): a gateway uses this database"),
                "\(refused.errors)")
            #expect(await gateway.stop() == 0)
        }

        @Test("an unknown user and one who is not a super admin get no link, and a missing database is not created")
        func refused() async throws {
            let missing = try await recover()
            #expect(missing.code == 1)
            #expect(missing.errors.contains("there is no such database; name it with --store-path or --config"))
            #expect(!FileManager.default.fileExists(atPath: folder.file("doorward.db")))

            let gateway = try await RunningGateway.first(in: folder)
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            _ = try await House.createUser("tom@doors.example", "Tom", by: admin)
            #expect(await gateway.stop() == 0)
            let nobody = try await recover("nobody@doors.example")
            #expect(nobody.code == 1)
            #expect(nobody.errors == "doorward: nobody@doors.example: no user has this address; nothing was done\n")
            let tenant = try await recover("tom@doors.example")
            #expect(tenant.code == 1)
            #expect(
                tenant.errors
                    == """
                    doorward: tom@doors.example: nothing was done. This user is not a super admin: a super admin can \
                    create a link for them over the API.

                    """)
        }
    }
}
