internal import DoorwardDomain
internal import DoorwardKernel
import GRDB
internal import Metrics

/// The metrics of the store.
struct StoreMetrics: Sendable {
    private let flush: Metrics.Timer
    private let batch: Recorder
    /// The number of batches that failed to be written.
    let failures: Counter
    private let written: (gateway: Counter, portfolios: Counter)
    private let stored: (gateway: Meter, portfolios: Meter)
    /// The size of the write-ahead log's file.
    let logBytes: Meter

    init(_ factory: any MetricsFactory) {
        func written(_ log: String) -> Counter {
            Counter(label: "doorward_store_records_written_total", dimensions: [("log", log)], factory: factory)
        }
        func stored(_ log: String) -> Meter {
            Meter(label: "doorward_store_records", dimensions: [("log", log)], factory: factory)
        }
        flush = Metrics.Timer(label: "doorward_store_flush_seconds", factory: factory)
        batch = Recorder(label: "doorward_store_batch_transactions", factory: factory)
        failures = Counter(label: "doorward_store_failures_total", factory: factory)
        self.written = (written("gateway"), written("portfolios"))
        self.stored = (stored("gateway"), stored("portfolios"))
        logBytes = Meter(label: "doorward_store_wal_bytes", factory: factory)
    }

    /// Records the metrics of a durable batch.
    func note(_ answers: [Result<[RecordPosition], StoreError>], after time: Duration) {
        let (seconds, attoseconds) = time.components
        flush.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        batch.record(answers.count)
        var (gateway, portfolios) = (0, 0)
        for case .success(let places) in answers {
            for place in places { if place.log == .gateway { gateway += 1 } else { portfolios += 1 } }
        }
        written.gateway.increment(by: gateway)
        written.portfolios.increment(by: portfolios)
    }

    /// Sets the gauges of stored records. The numbers are computed from the logs' rows.
    func sampleRecords(in db: Database) throws {
        let sql = "SELECT coalesce(sum(size - first_seq), 0) FROM logs WHERE (log_id = 'gateway') = ?"
        for (isGateway, meter) in [(true, stored.gateway), (false, stored.portfolios)] {
            meter.set(try db.firstRow(sql, [isGateway]) { try $0.value(Int64.self) } ?? 0)
        }
    }
}
