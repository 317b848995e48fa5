import BenchmarkSupport
import Foundation

/// `doorward-mqtt-locks` from the same folder as this program; it simulates locks until it is stopped.
struct LocksProgram {
    private let process: Process
    private let input: Pipe

    struct SimulatorEnded: Error {}

    /// Starts the program, and returns when every lock can be discovered.
    init(port: Int, locks: Int, reportEvery: String) throws {
        (process, input) = (Process(), Pipe())
        process.executableURL = Self.program
        process.arguments = [
            "--broker", "mqtt://127.0.0.1:\(port)", "--profile", "zigbee2mqtt:\(locks)", "--latency", "0ms",
            "--report-every", reportEvery,
        ]
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var outputData = Data()
        while !outputData.split(separator: UInt8(ascii: "\n")).contains(Data("ready".utf8)) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw SimulatorEnded() }
            outputData += more
        }
    }

    /// Returns the values by which the addresses of the locks differ, in the order of the locks.
    static func variables(_ locks: Int) throws -> [[String: String]] {
        struct Lock: Decodable { let address: [String: String] }
        let process = Process()
        process.executableURL = program
        process.arguments = ["--profile", "zigbee2mqtt:\(locks)", "--list"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let list = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([Lock].self, from: list).map(\.address)
    }

    private static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("doorward-mqtt-locks")
    }

    /// The processor time that the program has used so far, in seconds.
    var processorSeconds: Double { processorTime(of: process.processIdentifier) }

    func end() {
        process.killNow()
        process.waitUntilExit()
    }
}
