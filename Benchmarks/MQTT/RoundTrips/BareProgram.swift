import Foundation

/// The C program in the same folder as this one. It simulates the device, or sends the commands in
/// place of the gateway and measures the round trips.
enum BareProgram {
    private static func process(_ arguments: [String]) -> Process {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("benchmark-mqtt-bare")
        process.arguments = arguments
        return process
    }

    /// Starts the program as a device, which responds until it is stopped.
    static func device(port: Int) throws -> Process {
        let process = process(["device", String(port)])
        try process.run()
        return process
    }

    static func gateway(port: Int, inFlight: Int, count: Int) throws -> RoundTrips {
        let process = process(["gateway", String(port), String(inFlight), String(count)])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let values = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, values.count == 3 else { throw BareProgramError.failed }
        return RoundTrips(rate: values[0], p50: values[1], p99: values[2])
    }
}

enum BareProgramError: Error { case failed }
