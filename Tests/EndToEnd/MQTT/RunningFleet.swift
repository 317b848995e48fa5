import Foundation
import Testing

/// A `doorward-mqtt-locks` on a broker, with every frame that came to its locks.
struct RunningFleet: Sendable {
    let program: Program
    private let frameLog: String

    /// Starts it and waits until its locks have announced themselves.
    ///
    /// - Parameter options: what it is to play.
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

    /// Every order that has come to a lock so far, the first first.
    func orders() throws -> [FleetFrame] { try frames().filter(\.isOrder) }

    /// Everything that the fleet has heard and said so far, the first first.
    func frames() throws -> [FleetFrame] {
        let text = try String(contentsOfFile: frameLog, encoding: .utf8)
        // The last line may be half written.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(FleetFrame.self, from: Data($0.utf8)) }
    }

    /// Waits until that many orders have come.
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
