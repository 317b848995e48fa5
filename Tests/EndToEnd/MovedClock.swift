import Foundation
import Testing

/// Moves the wall clock of a gateway while it runs, by the library in `Fixtures/moved-clock.c`. Its monotonic clock is the
/// machine's.
struct MovedClock: Sendable {
    let folder: TemporaryFolder

    init(in folder: TemporaryFolder) async throws {
        self.folder = folder
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/moved-clock.c").path
        // The toolchain of Swift contains clang.
        let compiled = try await Program.run(
            "/usr/bin/env", ["clang", "-shared", "-fPIC", "-O1", "-o", folder.file("moved-clock.so"), source], in: folder)
        try #require(compiled.code == 0, "\(compiled.errors)")
        _ = FileManager.default.createFile(atPath: folder.file("moved-seconds"), contents: Data(count: 8))
    }

    /// Sets the wall clock of the gateway to the machine's, plus this many seconds.
    func set(_ seconds: Int) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: folder.file("moved-seconds")))
        try file.write(contentsOf: withUnsafeBytes(of: Int64(seconds)) { Data($0) })
        try file.close()
    }

    /// Starts a gateway with this clock.
    func start() async throws -> RunningGateway {
        let clock = ["LD_PRELOAD": folder.file("moved-clock.so"), "MOVED_CLOCK": folder.file("moved-seconds")]
        let program = try Program(
            Program.doorward, ["serve"],
            environment: RunningGateway.environment(for: folder).merging(clock) { _, new in new },
            errors: folder.file("serve-\(UUID().uuidString).log"))
        return try await RunningGateway(listening: program, folder: folder)
    }

    /// Creates a database with a super admin, and starts a gateway with this clock.
    func first() async throws -> RunningGateway {
        let created = try await Program.run(
            Program.doorward, ["admin", "create", "--email", RunningGateway.adminEmail, "--password-stdin"],
            environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
        try #require(created.code == 0, "\(created.errors)")
        return try await start()
    }
}
