import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Logging
import Metrics
import Synchronization
import Testing

@testable import DoorwardStore

/// Sums the measured values by label and dimensions.
private final class RecordedMetrics: MetricsFactory, Sendable {
    private struct State {
        var sums: [String: Double] = [:]
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Returns the sum of all measured values, or the last value of a gauge.
    func sum(_ name: String) -> Double? { state.withLock { $0.sums[name] } }

    /// Returns the number of measurements.
    func count(_ name: String) -> Int { state.withLock { $0.counts[name, default: 0] } }

    final class Instrument: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
        private let name: String
        private let recorded: RecordedMetrics

        init(_ label: String, _ dimensions: [(String, String)], _ recorded: RecordedMetrics) {
            name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
            self.recorded = recorded
        }

        private func note(_ value: Double, isSum: Bool = true) {
            recorded.state.withLock { state in
                state.sums[name] = value + (isSum ? state.sums[name, default: 0] : 0)
                state.counts[name, default: 0] += 1
            }
        }

        func increment(by amount: Int64) { note(Double(amount)) }
        func reset() {}
        func set(_ value: Int64) { note(Double(value), isSum: false) }
        func set(_ value: Double) { note(value, isSum: false) }
        func increment(by amount: Double) { note(amount) }
        func decrement(by amount: Double) { note(-amount) }
        func record(_ value: Int64) { note(Double(value)) }
        func record(_ value: Double) { note(value) }
        func recordNanoseconds(_ duration: Int64) { note(Double(duration)) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Instrument(label, dimensions, self) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Instrument(label, dimensions, self) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Instrument(label, dimensions, self)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Instrument(label, dimensions, self) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

@Suite struct StoreMetricsTests {
    private static let (written, stored) = ("doorward_store_records_written_total", "doorward_store_records")

    @Test("Each durable batch is counted and timed; records of rejected transactions are not counted")
    func batches() async throws {
        let (database, recorded) = (try TemporaryDatabase(), RecordedMetrics())
        let store = try open(database, recorded, flush: .milliseconds(3))
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(
            StoreTransaction(
                records: [script.event(on: script.door), script.gatewayEvent(), script.gatewayEvent()].map {
                    PendingRecord($0)
                }))
        let unknown = script.confirmed(script.command(on: script.door))
        let refused = StoreTransaction(
            commands: [.end(unknown)],
            records: [PendingRecord(script.gatewayEvent())])
        await #expect(throws: StoreError.refused(.commandUnknown(unknown.id))) { try await store.commit(refused) }
        #expect(recorded.count("doorward_store_flush_seconds") == 3)
        #expect(recorded.sum("doorward_store_flush_seconds") == 9_000_000)
        #expect(recorded.sum("doorward_store_batch_transactions") == 3)
        #expect(recorded.sum("\(Self.written) log=gateway") == 2)
        #expect(recorded.sum("\(Self.written) log=portfolios") == 1)
        #expect(recorded.sum("doorward_store_failures_total") == nil)
        try await store.close()
    }

    @Test("A failed batch is counted as a failure and as nothing else")
    func failures() async throws {
        let (database, recorded) = (try TemporaryDatabase(), RecordedMetrics())
        let store = try open(database, recorded, flush: nil)
        var script = StoreScript(seed: 2)
        for _ in 0..<2 {
            let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
            await #expect(throws: StoreError.self) { try await store.commit(transaction) }
        }
        // The second transaction was rejected because the store had already failed, so it formed no batch.
        #expect(recorded.sum("doorward_store_failures_total") == 1)
        #expect(recorded.count("doorward_store_flush_seconds") == 0)
        #expect(recorded.sum("\(Self.written) log=gateway") == nil)
        try await store.close()
    }

    @Test("When sampled, the gauges show the number of records and the size of the write-ahead log")
    func gauges() async throws {
        let (database, recorded) = (try TemporaryDatabase(), RecordedMetrics())
        var store = try open(database, recorded, flush: .zero)
        var script = StoreScript(seed: 3)
        await store.sampleMetrics()
        #expect(recorded.sum("\(Self.stored) log=gateway") == 0)
        #expect(recorded.sum("\(Self.stored) log=portfolios") == 0)
        let bodies = [script.event(on: script.door), script.event(on: script.otherDoor), script.gatewayEvent()]
        _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        try await store.close()
        store = try open(database, recorded, flush: .zero)
        await store.sampleMetrics()
        #expect(recorded.sum("\(Self.stored) log=gateway") == 1)
        #expect(recorded.sum("\(Self.stored) log=portfolios") == 2)
        let before = try #require(recorded.sum("doorward_store_wal_bytes"))
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        await store.sampleMetrics()
        #expect(try #require(recorded.sum("doorward_store_wal_bytes")) > before)
        try await store.close()
        await store.sampleMetrics()
        #expect(recorded.sum("doorward_store_wal_bytes") == 0, "a closed store has no write-ahead log")
        #expect(recorded.sum("\(Self.stored) log=gateway") == 2, "a value that cannot be read is left unchanged")
    }

    /// Opens a store whose flushes take the given time on its clock, or fail if `flush` is `nil`.
    private func open(_ database: TemporaryDatabase, _ recorded: RecordedMetrics, flush: Duration?) throws -> SQLiteStore {
        struct DiskError: Error {}
        return try SQLiteStore.open(
            path: database.path, clock: database.clock, random: SeededGenerator(seed: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            hooks: StoreHooks(beforeCommit: { _ in
                guard let flush else { throw DiskError() }
                database.clock.advance(by: flush)
            }), metrics: recorded)
    }
}
