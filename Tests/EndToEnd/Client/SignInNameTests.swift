import Foundation
import Testing

extension EndToEnd {
    @Suite("Several sign-ins with --as") struct SignInNameTests {
        private func signIn(_ shell: Shell, _ email: String, as name: String) async throws {
            let result = try await shell.run(
                "login", "--as", name, "--server", shell.gateway.address, "--email", email, "--password-stdin",
                input: RunningGateway.password + "\n")
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output.hasSuffix("; use it with --as \(name)\n"), "\(result.output)")
        }

        private func email(_ shell: Shell, _ arguments: String..., environment: [String: String] = [:]) async throws -> String? {
            let result = try await shell.run(["whoami", "--json"] + arguments, environment: environment)
            return try result.json["user"]["email"].text
        }

        @Test("each sign-in has its own file, is selected by option or variable, and is signed out separately")
        func names() async throws {
            let (gateway, house, shell) = try await ownersShell()
            let door = try await house.lock("Front door")
            try await signIn(shell, RunningGateway.adminEmail, as: "root.1")
            let file = shell.folder.file("config/doorward/sessions/root.1.json")
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

            #expect(try await email(shell) == "owner@doors.example")
            #expect(try await email(shell, "--as", "root.1") == RunningGateway.adminEmail)
            let variable = ["DOORWARD_AS": "root.1"]
            #expect(try await email(shell, environment: variable) == RunningGateway.adminEmail)
            #expect(try await email(shell, "--as", "default", environment: variable) == "owner@doors.example")
            #expect(try await shell.run("locks").rows.map(\.last) == [door])
            #expect(try await shell.run("clock", "status", "--as", "root.1").code == 0)
            #expect(try await shell.run("clock", "status").code == 1)
            let all = try await shell.run("whoami", "--all", environment: variable).rows
            #expect(
                all.map { [$0[0], $0[1], $0[2], $0[4]] } == [
                    ["default", "owner@doors.example", gateway.address, "no"],
                    ["root.1", RunningGateway.adminEmail, gateway.address, "yes"],
                ])

            let wrong = try await shell.run("locks", "--as", "root-1")
            #expect(wrong.code == 1)
            #expect(wrong.errors.contains("did you mean `root.1`?\n  there are: default, root.1\n"), "\(wrong.errors)")
            let out = try await shell.run("logout", "--as", "root.1")
            #expect(out.output == "signed out: \(RunningGateway.adminEmail) at \(gateway.address)\n")
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(try await email(shell) == "owner@doors.example")
        }

        @Test("an expired named session is reported with the command that signs in again")
        func expired() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let shell = try Shell(gateway)
            try await signIn(shell, RunningGateway.adminEmail, as: "root")
            let path = shell.folder.file("config/doorward/sessions/root.json")
            let kept = try Data(contentsOf: URL(filePath: path))
            #expect(try await shell.run("logout", "--as", "root").code == 0)
            try kept.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let result = try await shell.run("whoami", "--as", "root")
            #expect(result.code == 1)
            #expect(
                result.errors
                    == "doorward: The session has expired; sign in again: doorward login --as root --server \(gateway.address) "
                    + "--email \(RunningGateway.adminEmail)\n")
        }

        @Test("DOORWARD_TOKEN is shown with its expiry and is used instead of the stored sign-in")
        func token() async throws {
            let (gateway, _, shell) = try await ownersShell()
            let token = try #require(try await gateway.signIn(RunningGateway.adminEmail).token)
            let environment = ["DOORWARD_SERVER": gateway.address, "DOORWARD_TOKEN": token]
            let rows = try await shell.run("whoami", environment: environment).rows
            #expect(rows.contains(["email", RunningGateway.adminEmail]))
            #expect(rows.contains(["roles", "super admin"]))
            #expect(rows.contains(["sign-in", "DOORWARD_TOKEN"]))
            #expect(rows.last?.last?.wholeMatch(of: #/until 20[0-9-]+T[0-9:.]+Z, not renewed/#) != nil, "\(rows)")
            #expect(try await email(shell, "--as", "default", environment: environment) == "owner@doors.example")
        }

        @Test("wrong names exit 2", arguments: ["a/b", "", "a b", String(repeating: "a", count: 65)])
        func wrong(_ name: String) async throws {
            let result = try await Program.run(Program.doorward, ["locks", "--as", name], in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.errors.contains("is not a name: use 1 to 64 letters, digits, hyphens, underscores and dots"))
        }
    }
}
