import Foundation
import Testing

/// An operator's shell on the gateway's host, in the folder of the database, that runs the commands of a page.
struct Host: Sendable {
    let folder: TemporaryFolder
    private let environment: [String: String]

    /// - Parameter folder: the folder of the database `doorward.db`.
    init(in folder: TemporaryFolder) {
        self.folder = folder
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment = RunningGateway.environment.merging([
            "PATH": "\(URL(filePath: Program.doorward).deletingLastPathComponent().path):\(path)",
            "XDG_CONFIG_HOME": folder.file("config"),
        ]) { _, new in new }
    }

    /// Runs the commands until one fails.
    @discardableResult
    func type(_ commands: String, input: String = "") async throws -> (code: Int32, output: String, errors: String) {
        try await Program.run(
            "/usr/bin/env", ["--chdir=\(folder.path)", "bash", "-ec", commands], environment: environment, input: input,
            in: folder)
    }

    /// Runs the commands of a page, which must succeed.
    @discardableResult
    func follow(_ commands: String) async throws -> String {
        let result = try await type(commands)
        try #require(result.code == 0, "\(commands)\n\(result.output)\(result.errors)")
        return result.output
    }

    /// Starts a gateway with a command, and waits until it prints its address.
    func serve(_ command: String) async throws -> RunningGateway {
        let program = try Program(
            "/usr/bin/env", ["--chdir=\(folder.path)", "bash", "-ec", "exec \(command)"], environment: environment,
            errors: folder.file("serve-\(UUID().uuidString).log"))
        return try await RunningGateway(listening: program, folder: folder)
    }
}
