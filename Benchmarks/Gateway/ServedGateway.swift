internal import BenchmarkSupport
import Foundation

/// The built `doorward serve` as a separate process, on a free port.
package struct ServedGateway {
    /// The gateway's URL, such as `http://127.0.0.1:40123`.
    package let url: String
    /// Seconds from the start of the process until it reported that it listens.
    package let startSeconds: Double
    private let process: Process

    /// The process ended before it reported its URL.
    package struct NeverReady: Error {}

    /// Starts the gateway, and returns when it is ready.
    ///
    /// - Parameter configuration: the path of a configuration file; `nil` for none.
    /// - Throws: `NeverReady` if the process ended instead.
    package static func start(database: String, configuration: String? = nil) throws -> ServedGateway {
        let process = Process()
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = programs.appendingPathComponent("doorward")
        process.arguments =
            ["serve", "--store-path", database, "--http-port", "0", "--log-level", "error"]
            + (configuration.map { ["--config", $0] } ?? [])
        // Remove all DOORWARD_ variables: only the defaults are measured, and `serve` rejects
        // DOORWARD_BENCHMARKS, which is set to build this program.
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

    /// Stops the process, and waits for its end.
    package func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The port of `url`.
    package var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// The process's resident memory in bytes.
    package var residentMemory: Double { BenchmarkSupport.residentMemory(of: process.processIdentifier) }

    /// The peak of the process's resident memory in bytes, since its start or since `resetPeakMemory`.
    package var peakMemory: Double { BenchmarkSupport.peakMemory(of: process.processIdentifier) }

    /// Sets the peak to the present value.
    package func resetPeakMemory() { BenchmarkSupport.resetPeakMemory(of: process.processIdentifier) }

    /// The processor time that the process has used so far, in seconds.
    package var processorSeconds: Double { processorTime(of: process.processIdentifier) }
}
