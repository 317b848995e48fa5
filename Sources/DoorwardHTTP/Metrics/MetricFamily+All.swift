extension MetricFamily {
    /// Every metric of the gateway. A metric that is not listed here is not exported, so that the labels of each are reviewed.
    /// `docs/operating.md` lists the same metrics, which a test checks.
    static let all: [MetricFamily] = http + commands + people + locks + store + process

    private static let http = [
        MetricFamily(
            "doorward_http_requests_total", .counter, ["method", "route", "status"],
            help: "Requests answered, by method, the route's pattern and the class of the status."),
        MetricFamily(
            "doorward_http_request_duration_seconds", .durations(fast), ["method", "route"],
            help: "Time from a request's head to its answer, by method and the route's pattern."),
    ]

    private static let commands = [
        MetricFamily(
            "doorward_decisions_total", .counter, ["decision", "reason"],
            help: "Decisions on commands when they are asked for, by decision and, of a denial, its reason."),
        MetricFamily(
            "doorward_commands_total", .counter, ["operation", "end"],
            help: "Commands that have ended, by operation and end."),
        MetricFamily(
            "doorward_command_confirmation_seconds", .durations(slow), ["operation"],
            help: "Time from a command's acceptance to the lock's confirmation, both records durable, by operation."),
        MetricFamily(
            "doorward_command_queue_wait_seconds", .durations(slow),
            help: "Time that commands with an intent waited for their turn at the lock."),
        MetricFamily("doorward_commands_running", .gauge, help: "Commands with an intent and no outcome yet."),
        MetricFamily("doorward_commands_waiting", .gauge, help: "Commands that wait for their turn at a lock."),
        MetricFamily(
            "doorward_accepting_commands", .gauge,
            help: "1 while commands are taken, 0 while a failed write keeps everything in doubt."),
    ]

    private static let people = [
        MetricFamily(
            "doorward_sign_ins_total", .counter, ["outcome"],
            help: "Attempts to sign in with a password: succeeded, failed, or limited before the password was looked at."),
        MetricFamily("doorward_sessions", .gauge, help: "Sessions that count at this moment."),
    ]

    private static let locks = [
        MetricFamily(
            "doorward_adapter_health", .gauge, ["adapter", "health"],
            help: "1 for the health that the adapter has at this moment, 0 for the others."),
        MetricFamily(
            "doorward_adapter_events_total", .counter, ["adapter", "event"],
            help: "What an adapter counts of its own: connections, frames sent and heard, what was dropped."),
        MetricFamily("doorward_reports_total", .counter, help: "Reports of locks that were received."),
        MetricFamily(
            "doorward_reports_dropped_total", .counter, ["cause"],
            help: "Reports that led to nothing: of no known device, or events beyond the queue's bound or not written."),
    ]

    private static let store = [
        MetricFamily(
            "doorward_store_flush_seconds", .durations(fast),
            help: "Time to write one batch of transactions and flush it to the disk."),
        MetricFamily(
            "doorward_store_batch_transactions", .sizes([1, 2, 4, 8, 16, 32, 64, 128, 256]),
            help: "Transactions that shared one flush."),
        MetricFamily("doorward_store_failures_total", .counter, help: "Batches that could not be written."),
        MetricFamily(
            "doorward_store_records_written_total", .counter, ["log"],
            help: "Access records written by this process, in the gateway's own log or in portfolios'."),
        MetricFamily(
            "doorward_store_records", .gauge, ["log"],
            help: "Access records in the database, in the gateway's own log or in portfolios'."),
        MetricFamily("doorward_store_wal_bytes", .gauge, help: "Size of the write-ahead log's file."),
    ]

    private static let process = [
        MetricFamily("doorward_build_info", .gauge, ["version"], help: "1, with the version of the program."),
        MetricFamily("process_start_time_seconds", .gauge, help: "When the process started, in seconds since 1970."),
        MetricFamily("process_resident_memory_bytes", .gauge, help: "Memory of the process that is in RAM."),
        MetricFamily("process_open_fds", .gauge, help: "Open file descriptors."),
    ]

    // MARK: - Bounds

    /// From a tenth of a millisecond to ten seconds.
    private static let fast = milliseconds([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000])
    /// For times that include a lock's: from a millisecond to the longest timeout of a command.
    private static let slow = milliseconds([1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000])

    private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64(($0 * 1_000_000).rounded()) } }
}
