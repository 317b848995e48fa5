import Foundation
import Testing

/// A user's command line: runs the built `doorward` in a pipe, with its own configuration folder.
final class Shell: Sendable {
    let gateway: RunningGateway
    let folder: TemporaryFolder
    /// Includes the time zone of the tests' house.
    let environment: [String: String]

    /// - Parameter variables: added to the environment of every command.
    init(_ gateway: RunningGateway, _ variables: [String: String] = [:]) throws {
        self.gateway = gateway
        folder = try TemporaryFolder()
        environment = ["XDG_CONFIG_HOME": folder.file("config"), "TZ": "Europe/Berlin"].merging(variables) { $1 }
    }

    struct Result: Sendable {
        let code: Int32
        let output: String
        let errors: String

        /// The lines of standard output, each split at tabs.
        var rows: [[String]] {
            output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        }

        /// Standard output, decoded as a single JSON document.
        var json: JSON { get throws { try JSONDecoder().decode(JSON.self, from: Data(output.utf8)) } }
    }

    /// Runs `doorward` with these arguments until it exits.
    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) async throws -> Result {
        try await run(arguments, input: input, environment: environment)
    }

    func run(_ arguments: [String], input: String = "", environment: [String: String] = [:]) async throws -> Result {
        let result = try await Program.run(
            Program.doorward, arguments, environment: self.environment.merging(environment) { _, new in new }, input: input,
            in: folder)
        return Result(code: result.code, output: result.output, errors: result.errors)
    }

    /// Starts `doorward` with these arguments without waiting for its end.
    func start(_ arguments: String..., errors: String) throws -> Program {
        try Program(Program.doorward, arguments, environment: environment, errors: errors)
    }

    var sessionFile: String { folder.file("config/doorward/session.json") }

    /// Replaces the access token in the session file with an invalid one, as if it had expired.
    func spoilAccessToken() throws {
        let url = URL(filePath: sessionFile)
        let session = try JSONDecoder().decode([String: JSON].self, from: Data(contentsOf: url))
        let token = try #require(session["token"]?.text)
        let text = try String(contentsOf: url, encoding: .utf8).replacing(token, with: "spoilt")
        try Data(text.utf8).write(to: url)
    }

    /// Makes a shell and signs the user in.
    static func signedIn(_ email: String, on gateway: RunningGateway) async throws -> Shell {
        let shell = try Shell(gateway)
        let result = try await shell.run(
            "login", "--server", gateway.address, "--email", email, "--password-stdin", input: RunningGateway.password + "\n")
        try #require(result.code == 0, "\(result.errors)")
        return shell
    }
}
