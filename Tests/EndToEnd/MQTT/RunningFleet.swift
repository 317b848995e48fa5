import Foundation
import Testing

/// A running `doorward-mqtt-locks`, with a log of every frame to and from its locks.
struct RunningFleet: Sendable {
    let program: Program
    private let frameLog: String

    /// Starts the program and waits until all locks are ready.
    ///
    /// - Parameter options: the command-line options that select the locks.
    static func start(_ options: [String], port: Int, in folder: TemporaryFolder) async throws -> RunningFleet {
        let frameLog = folder.file("frames.ndjson")
        let errors = folder.file("fleet.errors")
        let program = try Program(
            URL(filePath: Program.doorward).deletingLastPathComponent().appending(component: "doorward-mqtt-locks").path,
            ["--broker", "mqtt://127.0.0.1:\(port)", "--frames", frameLog] + options, errors: errors)
        let line = await program.nextLine()
        try #require(line == "ready", "\((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")")
        return RunningFleet(program: program, frameLog: frameLog)
    }

    /// Returns all commands that the locks have received so far, oldest first.
    func orders() throws -> [FleetFrame] { try frames().filter(\.isOrder) }

    /// Returns all messages that the fleet has received and published so far, oldest first.
    func frames() throws -> [FleetFrame] {
        let text = try String(contentsOfFile: frameLog, encoding: .utf8)
        // The last line may be incomplete.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(FleetFrame.self, from: Data($0.utf8)) }
    }

    /// Waits until the locks have received that many commands.
    func untilOrders(_ count: Int) async throws {
        while try orders().count < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func stop() async -> Int32 {
        program.signal(SIGTERM)
        return await program.exitCode
    }
}
