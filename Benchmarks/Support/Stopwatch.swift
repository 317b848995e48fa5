import Foundation

/// The wall time and processor time of the calling thread, in nanoseconds.
package struct Stopwatch {
    private let wallStart = Self.read(CLOCK_MONOTONIC)
    private let cpuStart = Self.read(CLOCK_THREAD_CPUTIME_ID)

    package init() {}

    package var wall: UInt64 { Self.read(CLOCK_MONOTONIC) - wallStart }
    package var cpu: UInt64 { Self.read(CLOCK_THREAD_CPUTIME_ID) - cpuStart }

    package static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Sorts the samples, and returns the percentile of the given share, such as 0.99.
package func percentile(_ share: Double, of samples: inout [UInt64]) -> UInt64 {
    samples.sort()
    return samples.isEmpty ? 0 : samples[min(samples.count - 1, Int(Double(samples.count) * share))]
}

/// Returns the resident memory of a process in bytes; by default of this process.
package func residentMemory(of process: Int32? = nil) -> Double { memory("VmRSS:", of: process) }

/// Returns the peak of the resident memory of a process in bytes, since its start or since `resetPeakMemory`.
package func peakMemory(of process: Int32) -> Double { memory("VmHWM:", of: process) }

/// Sets the peak of the resident memory of a process to its present value; see proc_pid_clear_refs(5).
package func resetPeakMemory(of process: Int32) {
    try? "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8)
}

private func memory(_ field: String, of process: Int32?) -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(process.map(String.init) ?? "self")/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
    let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Double($0) } ?? 0
    return kibibytes * 1024
}

/// Returns the processor time that all threads of this process have used, in nanoseconds.
package func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the processor time that a process has used so far, in seconds; 0 if the process does not exist.
package func processorTime(of process: Int32) -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    // proc(5): utime and stime are fields 14 and 15; the second field, in brackets, may contain spaces.
    let words = status.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
}
