internal import BenchmarkSupport
import Foundation

/// The built `doorward serve` as a process of its own, on a free port.
package struct ServedGateway {
    /// Where it serves: `http://127.0.0.1:40123`.
    package let url: String
    /// From the start of the process until it said that it listens, in seconds.
    package let startSeconds: Double
    private let process: Process

    /// It ended before it had said where it serves.
    package struct NeverReady: Error {}

    /// Returns when it serves.
    ///
    /// - Parameter configuration: a file; `nil` for none.
    /// - Throws: `NeverReady` for one that ended instead.
    package static func start(database: String, configuration: String? = nil) throws -> ServedGateway {
        let process = Process()
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = programs.appendingPathComponent("doorward")
        process.arguments =
            ["serve", "--store-path", database, "--http-port", "0", "--log-level", "error"]
            + (configuration.map { ["--config", $0] } ?? [])
        // What is measured is the defaults; DOORWARD_BENCHMARKS, which made this program, is no key that `serve` takes.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("DOORWARD_") }
        let output = Pipe()
        process.standardOutput = output
        let watch = Stopwatch()
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw NeverReady() }
            line += more
        }
        let seconds = Double(watch.wall) / 1e9
        guard let url = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).last else {
            throw NeverReady()
        }
        return ServedGateway(url: String(url), startSeconds: seconds, process: process)
    }

    /// Ends it, and waits for its end.
    package func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The port of `url`.
    package var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Bytes of its memory that are in RAM now.
    package var residentMemory: Double { BenchmarkSupport.residentMemory(of: process.processIdentifier) }

    /// The processor time that it has used until now, in seconds.
    package var processorSeconds: Double { processorTime(of: process.processIdentifier) }
}
