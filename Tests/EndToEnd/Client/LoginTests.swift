import Foundation
import Testing

extension EndToEnd {
    @Suite("doorward login and logout") struct LoginTests {
        @Test("a session is readable only by its owner, is used by the next command, and ends at the gateway with logout")
        func session() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let house = try await House.build(on: gateway)
            let door = try await house.lock("Front door")
            let shell = try Shell(gateway)
            let before = try await shell.run("locks")
            #expect(before.code == 1)
            #expect(before.errors.hasPrefix("doorward: not signed in; run `doorward login"))

            let signedIn = try await shell.run(
                "login", "--server", gateway.address, "--email", "owner@doors.example", "--password-stdin",
                input: RunningGateway.password + "\n")
            #expect(signedIn.code == 0, "\(signedIn.errors)")
            #expect(signedIn.output == "signed in at \(gateway.address) as Olga Example\n")
            #expect(try mode(of: shell.sessionFile) == 0o600)
            #expect(try mode(of: shell.folder.file("config/doorward")) == 0o700)
            #expect(try await shell.run("locks").rows.map(\.last) == [door])

            let kept = try Data(contentsOf: URL(filePath: shell.sessionFile))
            let out = try await shell.run("logout")
            #expect(out.output == "signed out: owner@doors.example at \(gateway.address)\n")
            #expect(!FileManager.default.fileExists(atPath: shell.sessionFile))
            #expect(try await shell.run("logout").output == "not signed in\n")
            // After logout a copy of the session file is useless.
            try kept.write(to: URL(filePath: shell.sessionFile))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: shell.sessionFile)
            let after = try await shell.run("locks")
            #expect(after.code == 1)
            #expect(
                after.errors
                    == "doorward: The session has expired; sign in again: "
                    + "doorward login --server \(gateway.address) --email owner@doors.example\n")
        }

        @Test("a wrong password is rejected in one sentence, and no session is stored")
        func wrongPassword() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let shell = try Shell(gateway)
            for email in [RunningGateway.adminEmail, "nobody@doors.example"] {
                let result = try await shell.run(
                    "login", "--server", gateway.address, "--email", email, "--password-stdin", input: "not the password\n")
                #expect(result.code == 1)
                #expect(result.errors == "doorward: the email address or the password is wrong; nothing was kept\n")
            }
            #expect(!FileManager.default.fileExists(atPath: shell.sessionFile))
        }

        @Test("a session file that others can read is rejected")
        func openSession() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let shell = try await Shell.signedIn(RunningGateway.adminEmail, on: gateway)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: shell.sessionFile)
            let result = try await shell.run("locks")
            #expect(result.code == 1)
            #expect(result.errors.hasPrefix("doorward: \(shell.sessionFile): others could read it"))
        }

        @Test("DOORWARD_SERVER and DOORWARD_TOKEN replace a session, and the token alone is wrong usage")
        func environment() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let token = try #require(admin.token)
            let shell = try Shell(gateway)
            let both = ["DOORWARD_SERVER": gateway.address, "DOORWARD_TOKEN": token]
            #expect(try await shell.run("locks", environment: both).code == 0)
            let tokenAlone = try await shell.run("locks", environment: ["DOORWARD_TOKEN": token])
            #expect(tokenAlone.code == 2)
            #expect(tokenAlone.errors.contains("DOORWARD_SERVER"))
            // A session is used only for its own gateway.
            let signedIn = try await Shell.signedIn(RunningGateway.adminEmail, on: gateway)
            let elsewhere = try await signedIn.run("locks", environment: ["DOORWARD_SERVER": "http://127.0.0.1:1"])
            #expect(elsewhere.code == 1)
            #expect(elsewhere.errors.hasPrefix("doorward: not signed in at http://127.0.0.1:1"))
            let named = try await shell.run(
                "login", "--email", RunningGateway.adminEmail, "--password-stdin", input: RunningGateway.password + "\n",
                environment: ["DOORWARD_SERVER": gateway.address])
            #expect(named.code == 0, "\(named.errors)")
        }

        @Test("an API key is checked before it is stored, and a wrong one is not stored")
        func apiKey() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let shell = try Shell(gateway)
            let refused = try await shell.run("login", "--server", gateway.address, "--api-key-stdin", input: "dw_nonsense\n")
            #expect(refused.code == 1)
            #expect(refused.errors == "doorward: the gateway does not accept this API key; nothing was kept\n")
            #expect(!FileManager.default.fileExists(atPath: shell.sessionFile))
            let admin = try await gateway.signIn(RunningGateway.adminEmail)
            let kept = try await shell.run(
                "login", "--server", gateway.address, "--api-key-stdin", input: try #require(admin.token) + "\n")
            #expect(kept.output == "signed in at \(gateway.address) with an API key\n", "\(kept.errors)")
            #expect(try await shell.run("locks").code == 0)
        }

        @Test(
            "wrong usage exits 2 before any question or request",
            arguments: [
                ["login"], ["login", "--server", "http://127.0.0.1:1"], ["login", "--email", "a@b.example"],
                ["login", "--server", "http://127.0.0.1:1", "--email", "a@b.example", "--api-key-stdin"],
                ["login", "--server", "http://doors.example", "--email", "a@b.example", "--password-stdin"],
                ["login", "--server", "doors", "--email", "a@b.example", "--password-stdin"],
                ["locks", "--nonsense"], ["locks", "extra"],
            ])
        func usage(_ arguments: [String]) async throws {
            let folder = try TemporaryFolder()
            let result = try await Program.run(
                Program.doorward, arguments, environment: ["XDG_CONFIG_HOME": folder.path], in: folder)
            #expect(result.code == 2, "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(!result.errors.isEmpty)
        }

        @Test("a refused connection exits 3")
        func noConnection() async throws {
            let folder = try TemporaryFolder()
            let result = try await Program.run(
                Program.doorward, ["login", "--server", "http://127.0.0.1:1", "--email", "a@b.example", "--password-stdin"],
                environment: ["XDG_CONFIG_HOME": folder.path], input: "whatever it is\n", in: folder)
            #expect(result.code == 3)
            #expect(result.errors == "doorward: no connection to http://127.0.0.1:1: connection refused\n")
        }

        private func mode(of path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }
}
