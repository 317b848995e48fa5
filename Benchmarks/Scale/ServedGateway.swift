import BenchmarkSupport
import Foundation

/// The built `doorward serve` as a process of its own, on a free port.
struct ServedGateway {
    let url: String
    /// From the start of the process until it said that it listens, in seconds.
    let startSeconds: Double
    private let process: Process

    struct NeverReady: Error {}

    static func start(database: String) throws -> ServedGateway {
        let process = Process()
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = programs.appendingPathComponent("doorward")
        process.arguments = ["serve", "--store-path", database, "--http-port", "0", "--log-level", "error"]
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

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Bytes of its memory that are in RAM now.
    var residentMemory: Double { BenchmarkSupport.residentMemory(of: process.processIdentifier) }

    /// The processor time that it has used until now, in seconds.
    var processorSeconds: Double {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        // proc(5): utime and stime are the 14th and 15th word; the second, in brackets, may hold blanks.
        let words = status.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
