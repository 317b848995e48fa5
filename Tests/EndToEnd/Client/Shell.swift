import Foundation
import Testing

/// A person at a command line: the built `doorward` with a configuration folder of its own, in a pipe.
final class Shell: Sendable {
    let gateway: RunningGateway
    let folder: TemporaryFolder
    /// Local time is that of the tests' house.
    let environment: [String: String]

    init(_ gateway: RunningGateway) throws {
        self.gateway = gateway
        folder = try TemporaryFolder()
        environment = ["XDG_CONFIG_HOME": folder.file("config"), "TZ": "Europe/Berlin"]
    }

    struct Result: Sendable {
        let code: Int32
        let output: String
        let errors: String

        /// The lines of standard output, each cut at its tabs.
        var rows: [[String]] {
            output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        }

        /// Standard output as the one JSON document that it is to be.
        var json: JSON { get throws { try JSONDecoder().decode(JSON.self, from: Data(output.utf8)) } }
    }

    /// Runs `doorward` with these arguments to its end.
    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) async throws -> Result {
        try await run(arguments, input: input, environment: environment)
    }

    func run(_ arguments: [String], input: String = "", environment: [String: String] = [:]) async throws -> Result {
        let result = try await Program.run(
            Program.doorward, arguments, environment: self.environment.merging(environment) { _, new in new }, input: input,
            in: folder)
        return Result(code: result.code, output: result.output, errors: result.errors)
    }

    /// Starts `doorward` with these arguments and leaves it running.
    func start(_ arguments: String..., errors: String) throws -> Program {
        try Program(Program.doorward, arguments, environment: environment, errors: errors)
    }

    var sessionFile: String { folder.file("config/doorward/session.json") }

    /// Makes the access token of the session one that the gateway does not take, as if its time were over.
    func spoilAccessToken() throws {
        let url = URL(filePath: sessionFile)
        let session = try JSONDecoder().decode([String: JSON].self, from: Data(contentsOf: url))
        let token = try #require(session["token"]?.text)
        let text = try String(contentsOf: url, encoding: .utf8).replacing(token, with: "spoilt")
        try Data(text.utf8).write(to: url)
    }

    /// Somebody who has signed in.
    static func signedIn(_ email: String, on gateway: RunningGateway) async throws -> Shell {
        let shell = try Shell(gateway)
        let result = try await shell.run(
            "login", "--server", gateway.address, "--email", email, "--password-stdin", input: RunningGateway.password + "\n")
        try #require(result.code == 0, "\(result.errors)")
        return shell
    }
}
