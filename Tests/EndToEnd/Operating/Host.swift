import Foundation
import Testing

/// Somebody at the shell of the gateway's host, in the folder of its database, who types what a page says.
struct Host: Sendable {
    let folder: TemporaryFolder
    private let environment: [String: String]

    /// - Parameter folder: that of the database, `doorward.db`.
    init(in folder: TemporaryFolder) {
        self.folder = folder
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment = RunningGateway.environment.merging([
            "PATH": "\(URL(filePath: Program.doorward).deletingLastPathComponent().path):\(path)",
            "XDG_CONFIG_HOME": folder.file("config"),
        ]) { _, new in new }
    }

    /// Types the commands, each if the one before has succeeded.
    @discardableResult
    func type(_ commands: String, input: String = "") async throws -> (code: Int32, output: String, errors: String) {
        try await Program.run(
            "/usr/bin/env", ["--chdir=\(folder.path)", "bash", "-ec", commands], environment: environment, input: input,
            in: folder)
    }

    /// Types the commands of a page, which have to succeed.
    @discardableResult
    func follow(_ commands: String) async throws -> String {
        let result = try await type(commands)
        try #require(result.code == 0, "\(commands)\n\(result.output)\(result.errors)")
        return result.output
    }

    /// Types a command that starts a gateway, and waits until it says where it listens.
    func serve(_ command: String) async throws -> RunningGateway {
        let program = try Program(
            "/usr/bin/env", ["--chdir=\(folder.path)", "bash", "-ec", "exec \(command)"], environment: environment,
            errors: folder.file("serve-\(UUID().uuidString).log"))
        return try await RunningGateway(listening: program, folder: folder)
    }
}
