internal import FoundationEssentials
internal import Glibc
internal import Metrics

/// Renders metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    init(_ metrics: PrometheusMetrics) {
        for (family, series) in metrics.content {
            text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.word)\n"
            for (labels, series) in series { series.write(into: &self, of: family, labels) }
        }
    }

    /// Writes one value.
    mutating func sample(_ name: String, _ labels: [PrometheusMetrics.Label], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Renders a whole number without a fraction, and any other number in the shortest form that is parsed as the same value.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// A metric of `/metrics`: all its series have this name, kind and help, and exactly these labels.
struct MetricFamily: Sendable {
    /// The kind of the values. The bounds of histograms are fixed, so that a recording costs no more than a few comparisons and two
    /// additions.
    enum Kind: Sendable {
        /// A value that starts at 0 with the process and only grows. Its name ends in `_total`.
        case counter
        case gauge
        /// Durations; its name ends in `_seconds`. The bounds are nanoseconds, ascending.
        case durations([Int64])
        /// Whole numbers. The bounds are ascending.
        case sizes([Int64])

        /// The type in the line `# TYPE`.
        var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .durations, .sizes: "histogram"
            }
        }
    }

    let name: String
    let kind: Kind
    /// The names of its labels. No label ever contains an id, or the name of a tenant, a person, a device or a topic.
    let labels: Set<String>
    /// One sentence for the readers of a dashboard.
    let help: String

    init(_ name: String, _ kind: Kind, _ labels: Set<String> = [], help: String) {
        (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
    }
}

/// The content of `/metrics`: most values are recorded as they occur, the others are read for each page.
package struct MetricsPage: Sendable {
    /// The registry of all metrics.
    let metrics: PrometheusMetrics
    private let process: ProcessMetrics
    private let samplers: [@Sendable () async -> Void]

    /// - Parameters:
    ///   - version: the version of the program.
    ///   - samplers: each sets gauges to their current values, and is called before every page.
    package init(_ metrics: PrometheusMetrics, version: String, samplers: [@Sendable () async -> Void]) {
        (self.metrics, self.samplers) = (metrics, samplers)
        process = ProcessMetrics(metrics, version: version)
    }

    func text() async -> String {
        for sample in samplers { await sample() }
        process.sample()
        return PrometheusText(metrics).text
    }
}

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

extension MetricFamily {
    /// Every metric of the gateway. A metric that is not listed here is not exported, so that the labels of each are reviewed.
    /// `docs/operating.md` lists the same metrics, which a test checks.
    static let all: [MetricFamily] = [
        // HTTP.
        MetricFamily(
            "doorward_http_requests_total", .counter, ["method", "route", "status"],
            help: "HTTP responses, by method, route pattern and status class."),
        MetricFamily(
            "doorward_http_request_duration_seconds", .durations(fast), ["method"],
            help: "Time from a request's head to its response, by method."),
        // Commands.
        MetricFamily(
            "doorward_decisions_total", .counter, ["decision", "reason"],
            help: "Decisions on command requests, by decision and, for denials, by reason."),
        MetricFamily(
            "doorward_commands_total", .counter, ["operation", "end"],
            help: "Commands that have ended, by operation and final state."),
        MetricFamily(
            "doorward_command_confirmation_seconds", .durations(slow), ["operation"],
            help: "Time from the durable intent of a command to its durable confirmation, by operation."),
        MetricFamily(
            "doorward_command_queue_wait_seconds", .durations(slow),
            help: "Time that commands with an intent waited in the lock's queue."),
        MetricFamily("doorward_commands_running", .gauge, help: "Commands with an intent and no outcome yet."),
        MetricFamily("doorward_commands_waiting", .gauge, help: "Commands that wait in a lock's queue."),
        MetricFamily(
            "doorward_accepting_commands", .gauge,
            help: "1 while commands are accepted, 0 while a failed write has left the store in doubt."),
        MetricFamily(
            "doorward_clock_trusted", .gauge,
            help: "1 while the gateway trusts its clock, 0 while it denies guest accesses because it does not."),
        // People.
        MetricFamily(
            "doorward_sign_ins_total", .counter, ["outcome"],
            help: "Attempts to sign in with a password: succeeded, failed, or rate limited before the password was checked."),
        MetricFamily("doorward_sessions", .gauge, help: "Sessions that are valid now."),
        MetricFamily("doorward_streams", .gauge, help: "Live streams that are open now."),
        MetricFamily(
            "doorward_streams_total", .counter, ["begin"],
            help: "Live streams that were opened: new, resumed, or reset because a position could not be resumed completely."),
        MetricFamily(
            "doorward_streams_cut_total", .counter, help: "Live streams whose client was disconnected because it did not read."),
        // Locks.
        MetricFamily(
            "doorward_adapter_health", .gauge, ["adapter", "health"],
            help: "1 for the adapter's current health, 0 for the other values."),
        MetricFamily(
            "doorward_adapter_events_total", .counter, ["adapter", "event"],
            help: "Events that an adapter counts itself: connections, messages sent and received, dropped messages."),
        MetricFamily("doorward_reports_total", .counter, help: "Reports of locks that were received."),
        MetricFamily(
            "doorward_reports_dropped_total", .counter, ["cause"],
            help: "Reports without effect: of an unknown device, or events that could not be queued or written."),
        // The store.
        MetricFamily(
            "doorward_store_flush_seconds", .durations(fast),
            help: "Time to write one batch of transactions and flush it to the disk."),
        MetricFamily(
            "doorward_store_batch_transactions", .sizes([1, 2, 4, 8, 16, 64, 256]),
            help: "Transactions that shared one flush."),
        MetricFamily("doorward_store_failures_total", .counter, help: "Batches that could not be written."),
        MetricFamily(
            "doorward_store_records_written_total", .counter, ["log"],
            help: "Access records written by this process, in the gateway's own log or in portfolios'."),
        MetricFamily(
            "doorward_store_records", .gauge, ["log"],
            help: "Access records in the database, in the gateway's own log or in portfolios'."),
        MetricFamily(
            "doorward_logs_contradicted", .gauge,
            help: "Logs whose records contradict a signed checkpoint; no further checkpoint of them is signed."),
        MetricFamily("doorward_store_wal_bytes", .gauge, help: "Size of the write-ahead log's file."),
        MetricFamily(
            "doorward_backup_age_seconds", .gauge,
            help: "Time since the start of the newest complete backup that the gateway has made or found."),
        MetricFamily(
            "doorward_backup_failures_total", .counter,
            help: "Failures of the daily backup, and of the deletion of old backups."),
        // The process.
        MetricFamily("doorward_build_info", .gauge, ["version"], help: "1, with the version of the program."),
        MetricFamily("process_start_time_seconds", .gauge, help: "Start time of the process, in seconds since 1970."),
        MetricFamily("process_resident_memory_bytes", .gauge, help: "Resident memory of the process."),
        MetricFamily("process_open_fds", .gauge, help: "Open file descriptors."),
    ]

    // MARK: - Bounds: seven in each histogram, so eight buckets with the bucket of all values.

    /// From a millisecond to five seconds.
    private static let fast = milliseconds([1, 5, 25, 100, 250, 1000, 5000])
    /// For times that include a lock's response time, up to half of the longest timeout of a command.
    private static let slow = milliseconds([25, 100, 250, 1000, 2500, 10_000, 30_000])

    private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64(($0 * 1_000_000).rounded()) } }
}
