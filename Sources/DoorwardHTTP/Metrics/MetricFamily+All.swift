extension MetricFamily {
    /// Every metric of the gateway. A metric that is not listed here is not exported, so that the labels of each are reviewed.
    /// `docs/operating.md` lists the same metrics, which a test checks.
    static let all: [MetricFamily] = http + commands + people + locks + store + process

    private static let http = [
        MetricFamily(
            "doorward_http_requests_total", .counter, ["method", "route", "status"],
            help: "HTTP responses, by method, route pattern and status class."),
        MetricFamily(
            "doorward_http_request_duration_seconds", .durations(fast), ["method"],
            help: "Time from a request's head to its response, by method."),
    ]

    private static let commands = [
        MetricFamily(
            "doorward_decisions_total", .counter, ["decision", "reason"],
            help: "Decisions on command requests, by decision and, for denials, by reason."),
        MetricFamily(
            "doorward_commands_total", .counter, ["operation", "end"],
            help: "Commands that have ended, by operation and final state."),
        MetricFamily(
            "doorward_command_confirmation_seconds", .durations(slow), ["operation"],
            help: "Time from a command's acceptance to the lock's confirmation, both records durable, by operation."),
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
    ]

    private static let people = [
        MetricFamily(
            "doorward_sign_ins_total", .counter, ["outcome"],
            help: "Attempts to sign in with a password: succeeded, failed, or rate limited before the password was checked."),
        MetricFamily("doorward_sessions", .gauge, help: "Sessions that are valid now."),
        MetricFamily("doorward_streams", .gauge, help: "Live streams that are open now."),
        MetricFamily(
            "doorward_streams_total", .counter, ["begin"],
            help: "Live streams that were opened: new, resumed, or reset because a position could not be resumed completely."),
        MetricFamily(
            "doorward_streams_cut_total", .counter, help: "Live streams whose client was disconnected because it took nothing."),
    ]

    private static let locks = [
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
    ]

    private static let store = [
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
            help: "Logs whose records contradict a signed checkpoint; they are not signed any more."),
        MetricFamily("doorward_store_wal_bytes", .gauge, help: "Size of the write-ahead log's file."),
        MetricFamily(
            "doorward_backup_age_seconds", .gauge,
            help: "Time since the newest whole backup that the gateway has made or found was begun."),
        MetricFamily(
            "doorward_backup_failures_total", .counter,
            help: "Backups of the gateway's own, and deletions of old ones, that have failed."),
    ]

    private static let process = [
        MetricFamily("doorward_build_info", .gauge, ["version"], help: "1, with the version of the program."),
        MetricFamily("process_start_time_seconds", .gauge, help: "Start time of the process, in seconds since 1970."),
        MetricFamily("process_resident_memory_bytes", .gauge, help: "Resident memory of the process."),
        MetricFamily("process_open_fds", .gauge, help: "Open file descriptors."),
    ]

    // MARK: - Bounds: seven each, and so eight buckets with that of all values.

    /// From a millisecond to five seconds.
    private static let fast = milliseconds([1, 5, 25, 100, 250, 1000, 5000])
    /// For times that include a lock's response time, up to half of the longest timeout of a command.
    private static let slow = milliseconds([25, 100, 250, 1000, 2500, 10_000, 30_000])

    private static func milliseconds(_ bounds: [Double]) -> [Int64] { bounds.map { Int64(($0 * 1_000_000).rounded()) } }
}
