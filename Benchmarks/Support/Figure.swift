import Foundation

/// One measured value, printed as one line of JSON.
package struct Figure: Encodable {
    package var benchmark: String
    package var figure: String
    package var value: Double
    package var unit: String
    /// The target, in the same unit.
    package var goal: Double?
    /// The same value based on processor time.
    package var cpu: Double?
    package var note: String?

    package init(
        _ benchmark: String, _ figure: String, _ value: Double, _ unit: String, goal: Double? = nil, cpu: Double? = nil,
        note: String? = nil
    ) {
        (self.benchmark, self.figure, self.value, self.unit) = (benchmark, figure, value, unit)
        (self.goal, self.cpu, self.note) = (goal, cpu, note)
    }

    package func report() { printLine(self) }
}

/// The machine on which the values were measured, printed as one line of JSON.
package struct Machine: Encodable {
    package var machine: String
    package var cores: Int
    package var memoryMiB: UInt64
    package var system: String
    package var swift: String

    package init() {
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = processor.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        machine = model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
        cores = ProcessInfo.processInfo.activeProcessorCount
        memoryMiB = ProcessInfo.processInfo.physicalMemory >> 20
        system = ProcessInfo.processInfo.operatingSystemVersionString
        #if compiler(>=6.4)
            swift = "6.4 or later"
        #elseif compiler(>=6.3)
            swift = "6.3"
        #else
            swift = "6.2"
        #endif
    }

    package func report() { printLine(self) }
}

private func printLine(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(value) else { return }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}
