import Foundation
import Testing

/// A running `doorward serve` with its own database, on a free loopback port.
struct RunningGateway: Sendable {
    static let password = "a long sentence for tests"
    static let adminEmail = "root@doors.example"

    let program: Program
    let address: String
    let folder: TemporaryFolder

    /// The configuration of the tests: fast password hashes, long-lived tokens, a free port, and no more connections than a low
    /// limit on open files allows without a warning.
    static let environment = [
        "DOORWARD_HTTP_PORT": "0", "DOORWARD_AUTH_PASSWORD_COST": "14", "DOORWARD_AUTH_ACCESS_TOKEN_MINUTES": "1440",
        "DOORWARD_LOG_LEVEL": "warning", "DOORWARD_HTTP_MAX_CONNECTIONS": "1024",
    ]

    static func environment(for folder: TemporaryFolder) -> [String: String] {
        environment.merging(["DOORWARD_STORE_PATH": folder.file("doorward.db")]) { _, new in new }
    }

    /// Starts the program without waiting until it listens.
    ///
    /// - Parameter options: options of `serve`, which override the environment.
    static func launch(in folder: TemporaryFolder, _ options: [String] = []) throws -> Program {
        try Program(
            Program.doorward, ["serve"] + options, environment: environment(for: folder),
            errors: folder.file("serve-\(UUID().uuidString).log"))
    }

    /// Starts the program and waits until it prints its address.
    static func start(in folder: TemporaryFolder, _ options: [String] = []) async throws -> RunningGateway {
        try await RunningGateway(listening: launch(in: folder, options), folder: folder)
    }

    /// Waits until a started program prints its address.
    init(listening program: Program, folder: TemporaryFolder) async throws {
        let line = try #require(await program.nextLine(), "the gateway exited before it listened: \(folder.path)")
        try self.init(program, line, folder)
    }

    /// - Parameter line: the first line that the program printed.
    private init(_ program: Program, _ line: String, _ folder: TemporaryFolder) throws {
        address = String(try #require(line.wholeMatch(of: /listening on (http:\/\/127\.0\.0\.1:[0-9]+)/)).1)
        (self.program, self.folder) = (program, folder)
    }

    /// Starts the gateway again on its earlier port, after it has ended. Tries again until the port
    /// is free, because another process may have taken it.
    func startAgain() async throws -> RunningGateway {
        while true {
            try Task.checkCancellation()
            let errors = folder.file("again-\(UUID().uuidString).log")
            let program = try Program(
                Program.doorward, ["serve", "--http-port", port], environment: Self.environment(for: folder), errors: errors)
            if let line = await program.nextLine() { return try RunningGateway(program, line, folder) }
            let why = try String(contentsOfFile: errors, encoding: .utf8)
            try #require(why.contains("in use"), "\(why)")
        }
    }

    /// Creates a database with a super admin, and starts a gateway on it.
    static func first(in folder: TemporaryFolder, _ options: [String] = []) async throws -> RunningGateway {
        let created = try await Program.run(
            Program.doorward, ["admin", "create", "--email", adminEmail, "--password-stdin"],
            environment: environment(for: folder), input: password + "\n", in: folder)
        try #require(created.code == 0, "\(created.errors)")
        return try await start(in: folder, options)
    }

    var stranger: Caller { Caller(address: address, token: nil) }

    func signIn(_ email: String) async throws -> Caller {
        let answer = try await stranger.post("/auth/login", #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
        let token: String = try #require(answer.data["token"].text, "\(answer.body)")
        return Caller(address: address, token: token)
    }

    /// Kills the process with `kill -9` and waits until it has ended.
    func crash() async {
        program.signal(SIGKILL)
        _ = await program.exitCode
    }

    /// Sends SIGTERM and returns the exit code.
    func stop() async -> Int32 {
        program.signal(SIGTERM)
        return await program.exitCode
    }

    /// The port on which the gateway listens.
    var port: String { String(address.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst()) }

    /// Recomputes every log of the database with the second implementation of the log format. The gateway must be stopped.
    static func verifyLogs(in folder: TemporaryFolder, database: String? = nil) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "DoorwardAuditTests/Fixtures/verify_log.py").path
        let result = try await Program.run(
            "/usr/bin/env", ["python3", script, database ?? folder.file("doorward.db")], in: folder)
        #expect(result.code == 0, "\(result.output)\(result.errors)")
    }
}
