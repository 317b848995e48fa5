internal import DoorwardDomain
internal import Logging
internal import Metrics
import Synchronization

/// Watches the gateway's clock: records its steps, keeps its state in the store, and notices a step while no decision is taken.
package final class ClockWatch: Sendable {
    private struct State {
        var isWriting = false
        /// Whether events were added while the previous ones were being written.
        var hasMore = false
        /// The records of events that could not be written yet.
        var unwritten: [PendingRecord] = []
    }

    /// How often the clocks are compared while the clock is trusted, and while it is not.
    static let interval = (trusted: Duration.seconds(5), untrusted: Duration.seconds(1))
    /// How old the stored mark may become, in milliseconds, while nothing else is written.
    static let maxMarkAge: Int64 = 60_000
    private static let maxUnwritten = 256

    private let clock: TrustedClock
    private let storeGuard: StoreGuard
    private let windows: WindowTimer
    private let random: RandomSource
    private let logger: Logger
    private let executor: (any TaskExecutor)?
    private let trusted: Meter
    private let state = Mutex(State())

    init(
        clock: TrustedClock, storeGuard: StoreGuard, windows: WindowTimer, random: RandomSource, logger: Logger,
        executor: (any TaskExecutor)?, metrics: any MetricsFactory
    ) {
        (self.clock, self.storeGuard, self.windows, self.random) = (clock, storeGuard, windows, random)
        (self.logger, self.executor) = (logger, executor)
        trusted = Meter(label: "doorward_clock_trusted", factory: metrics)
    }

    /// Continues from the stored state, and records what has happened since.
    func start() async throws {
        clock.start(try await mappingStoreErrors { () throws(StoreError) in try await storeGuard.tenancy.storedClock() })
        clock.onEvents { [weak self] in self?.eventsWereAdded() }
        await write()
    }

    /// Compares the clocks at intervals until the task is cancelled.
    package func run() async {
        while true {
            let interval = clock.observe().isTrusted ? Self.interval.trusted : Self.interval.untrusted
            guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: interval))) != nil else { return }
            clock.observe()
            clock.confirmIfSynchronised()
            if !state.withLock(\.unwritten.isEmpty) { await write() }
            await storeMark(olderThan: Self.maxMarkAge)
        }
    }

    /// Records what has happened. The next transaction, which records the stop, carries the mark.
    func stop() async {
        clock.onEvents {}
        await write()
        clock.requestMark()
    }

    func sampleMetrics() { trusted.set(clock.observe().isTrusted ? 1 : 0) }

    private func storeMark(olderThan age: Int64) async {
        guard storeGuard.isAcceptingCommands, let mark = clock.markToWrite(after: age) else { return }
        _ = try? await storeGuard.write(StoreTransaction(clock: [.raiseMark(mark)]))
    }

    // MARK: - Events

    private func eventsWereAdded() {
        let begins = state.withLock { state in
            defer { (state.isWriting, state.hasMore) = (true, state.isWriting) }
            return !state.isWriting
        }
        if begins { Task(executorPreference: executor) { await self.writeAll() } }
    }

    private func writeAll() async {
        while true {
            await write()
            let isDone = state.withLock { state in
                if !state.hasMore { state.isWriting = false }
                defer { state.hasMore = false }
                return !state.hasMore
            }
            if isDone { return }
        }
    }

    /// Records the events so far together with the state of the clock. What cannot be written is written later.
    private func write() async {
        let (events, dropped) = clock.takeEvents()
        for event in events { log(event) }
        if events.contains(where: \.changesTrust) { windows.noteChangeOfTrust() }
        var records = state.withLock { state in
            defer { state.unwritten = [] }
            return state.unwritten
        }
        records += events.map { record(of: $0) }
        if dropped > 0 { records.append(record(["change": .string("more"), "count": .integer(Int64(dropped))])) }
        guard !records.isEmpty else { return }
        do {
            try await storeGuard.write(StoreTransaction(clock: clock.stored.changes, records: records))
        } catch {
            let unwritten = Array(records.prefix(Self.maxUnwritten))
            state.withLock { $0.unwritten = Array((unwritten + $0.unwritten).prefix(Self.maxUnwritten)) }
        }
    }

    private func record(of event: ClockEvent) -> PendingRecord { record(event.details(of: clock.stored.mark)) }

    private func record(_ details: [String: RecordValue]) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .gateway, actor: .gateway, source: .gateway,
                event: .clockStep, details: details))
    }

    private func log(_ event: ClockEvent) {
        switch event {
        case .step(let step):
            let direction = step.size < .zero ? "backward" : "forward"
            logger.warning("clock stepped \(direction)", metadata: step.metadata)
        case .startGap(let step):
            let sentence =
                step.size < .zero
                ? "clock stepped backward: the gateway starts before the latest trusted time"
                : "clock stepped forward: the gateway starts long after the latest trusted time"
            logger.warning("\(sentence)", metadata: step.metadata)
        case .lost(let reason):
            logger.error(
                "clock not trusted: guest accesses are denied; see `doorward clock status`",
                metadata: ["reason": "\(reason.rawValue)"])
        case .regained(let confirmation):
            logger.notice("clock trusted again", metadata: ["by": "\(confirmation.rawValue)"])
        }
    }
}

extension StoredClock {
    /// The changes that bring the store to this state.
    var changes: [StoredClockChange] { [.raiseMark(mark), .setUnconfirmed(unconfirmed)] }
}

extension ClockStep {
    fileprivate var metadata: Logger.Metadata {
        ["before": "\(before)", "after": "\(after)", "seconds": "\(Double(size.wholeMilliseconds) / 1000)"]
    }

    fileprivate var details: [String: RecordValue] {
        ["before": .string(before.description), "after": .string(after.description), "stepMs": .integer(size.wholeMilliseconds)]
    }
}

extension ClockEvent {
    /// Whether decisions change although no right has changed.
    fileprivate var changesTrust: Bool {
        switch self {
        case .lost, .regained: true
        case .startGap, .step: false
        }
    }

    /// The details of the event's record.
    fileprivate func details(of mark: Timestamp) -> [String: RecordValue] {
        var details: [String: RecordValue] = ["mark": .string(mark.description)]
        switch self {
        case .startGap(let step): details.merge(step.details.merging(["change": .string("start")]) { $1 }) { $1 }
        case .step(let step): details.merge(step.details.merging(["change": .string("step")]) { $1 }) { $1 }
        case .lost(let reason):
            details.merge(["change": .string("trust_lost"), "reason": .string(reason.rawValue)]) { $1 }
        case .regained(let by):
            details.merge(["change": .string("trust_regained"), "by": .string(by.rawValue)]) { $1 }
        }
        return details
    }
}
