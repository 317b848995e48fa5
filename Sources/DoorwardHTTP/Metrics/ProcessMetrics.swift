internal import FoundationEssentials
internal import Glibc
internal import Metrics

/// The metrics of the process that the operating system provides, read for each page of `/metrics`.
struct ProcessMetrics: Sendable {
    private let resident: Meter
    private let descriptors: Meter

    /// - Parameter version: the version of the program.
    init(_ factory: any MetricsFactory, version: String) {
        resident = Meter(label: "process_resident_memory_bytes", factory: factory)
        descriptors = Meter(label: "process_open_fds", factory: factory)
        Meter(label: "doorward_build_info", dimensions: [("version", version)], factory: factory).set(Int64(1))
        if let start = Self.startTime { Meter(label: "process_start_time_seconds", factory: factory).set(start) }
    }

    /// Updates the gauges. A value that cannot be read stays as it was.
    func sample() {
        if let pages = Self.fields(of: "/proc/self/statm").dropFirst().first.flatMap({ Int64($0) }) {
            resident.set(pages * Int64(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") { descriptors.set(Int64(open.count)) }
    }

    /// The start of the process in seconds since 1970, from the kernel (proc_pid_stat(5), field 22, and `btime`).
    private static var startTime: Double? {
        // The program's name in field 2 may contain spaces and parentheses, so the other fields are read after the last parenthesis.
        guard let line = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = line.lastIndex(of: ")"),
            let ticks = line[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) }),
            let boot = fields(of: "/proc/stat", behind: "btime").first.flatMap({ Double($0) })
        else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func fields(of path: String, behind word: String? = nil) -> [Substring] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let word else { return fields }
            if fields.first == Substring(word) { return Array(fields.dropFirst()) }
        }
        return []
    }
}
