internal import CTimex
package import DoorwardDomain
internal import DoorwardPolicy
package import Logging
package import Metrics
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
    package static let interval = (trusted: Duration.seconds(5), untrusted: Duration.seconds(1))
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

    /// Reads nothing before `start`.
    package init(
        clock: TrustedClock, storeGuard: StoreGuard, windows: WindowTimer, random: RandomSource, logger: Logger,
        executor: (any TaskExecutor)?, metrics: any MetricsFactory
    ) {
        (self.clock, self.storeGuard, self.windows, self.random) = (clock, storeGuard, windows, random)
        (self.logger, self.executor) = (logger, executor)
        trusted = Meter(label: "doorward_clock_trusted", factory: metrics)
    }

    /// Continues from the stored state, and records what has happened since.
    package func start() async throws {
        clock.start(try await mappingStoreErrors(await storeGuard.tenancy.storedClock()))
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
    package func stop() async {
        clock.onEvents {}
        await write()
        clock.requestMark()
    }

    /// Updates the gauge; to be called before metrics are read.
    package func sampleMetrics() { trusted.set(clock.observe().isTrusted ? 1 : 0) }

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

    private func record(of event: ClockEvent) -> PendingRecord { record(event.details(of: clock.stored.highWaterMark)) }

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
    package var changes: [StoredClockChange] { [.raiseMark(highWaterMark), .setUnconfirmed(unconfirmed)] }
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

/// The use cases of the gateway's clock: reading its state, and accepting its time.
package struct ClockAdministration: Sendable {
    private let directory: CurrentDirectory
    private let storeGuard: StoreGuard
    private let windows: WindowTimer
    private let clock: TrustedClock
    private let random: RandomSource

    package init(_ kernel: Kernel, windows: WindowTimer) {
        (directory, storeGuard, clock) = (kernel.directory, kernel.storeGuard, kernel.clock)
        random = kernel.random
        self.windows = windows
    }

    /// The state of the clock.
    ///
    /// - Throws: `.denied` unless the caller is a super admin.
    package func status(for caller: Caller) throws(GatewayError) -> ClockStatus {
        try require(caller)
        return clock.status
    }

    /// Confirms that the wall clock is right after a step forward, so that it is trusted again. Does nothing if it is trusted. The
    /// acceptance is recorded in the gateway's log.
    ///
    /// - Parameter loweringMark: whether the high-water mark is lowered if it is wrong, as after a start with a clock years ahead.
    /// - Throws: `.denied`; `.conflict` if the clock is below the mark, which is not lowered, or steps meanwhile; `.unavailable`.
    package func accept(_ caller: Caller, loweringMark: Bool) async throws(GatewayError) -> ClockStatus {
        try require(caller)
        let offer = clock.pendingConfirmation()
        guard !offer.isNeedless else { return clock.status }
        guard loweringMark || !offer.isBelowMark else { throw .conflict(Self.belowMark(offer)) }
        try await storeGuard.write(
            StoreTransaction(
                clock: [offer.isBelowMark ? .setMark(offer.at) : .raiseMark(offer.at), .setUnconfirmed(nil)],
                records: [record(of: offer, by: caller)]))
        guard clock.confirm(offer, loweringMark: loweringMark) else {
            throw .conflict("The clock changed while it was being accepted; check its state, then accept it again.")
        }
        windows.noteChangeOfTrust()
        return clock.status
    }

    private static func belowMark(_ offer: TrustedClock.PendingConfirmation) -> String {
        "The clock shows \(offer.at), which is before the latest trusted time, \(offer.highWaterMark). Set the clock of the gateway's "
            + "machine right; it is trusted again 60 seconds later. If the latest trusted time is wrong, accept the clock with "
            + "`lowerMark`."
    }

    private func require(_ caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }

    private func record(of offer: TrustedClock.PendingConfirmation, by caller: Caller) -> PendingRecord {
        PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: offer.at), at: offer.at, kind: .gateway,
                actor: RecordActor(of: caller, in: directory.current), source: caller.origin.source,
                clientAddress: caller.origin.clientAddress, requestID: caller.origin.requestID, event: .clockStep,
                details: [
                    "change": .string("trust_regained"), "by": .string(ClockConfirmation.accepted.rawValue),
                    "mark": .string(offer.highWaterMark.description), "after": .string(offer.at.description),
                    "hasLoweredMark": .bool(offer.isBelowMark),
                ]))
    }
}

/// What the operating system reports on the synchronisation of its clock.
package protocol ClockSynchronisation: Sendable {
    /// The operating system's time, if it reports that its clock is synchronised; otherwise `nil`. The report is about the clock
    /// that shows this time, so it counts only if the gateway reads the same time.
    func synchronisedTime() -> Timestamp?
}

/// Never reports synchronisation.
package struct NoSynchronisation: ClockSynchronisation {
    package init() {}

    /// Always `nil`.
    package func synchronisedTime() -> Timestamp? { nil }
}

/// The report of the Linux kernel: a time daemon such as chrony, ntpd or systemd-timesyncd sets it while it is synchronised, and
/// setting the clock by hand clears it. Adjusts nothing, so it needs no privilege.
package struct KernelSynchronisation: ClockSynchronisation {
    package init() {}

    /// See adjtimex(2): `STA_UNSYNC` is clear, and the state is not `TIME_ERROR`.
    package func synchronisedTime() -> Timestamp? {
        var report = timex()
        let state = adjtimex(&report)
        guard state >= 0, state != TIME_ERROR, report.status & STA_UNSYNC == 0 else { return nil }
        let fraction = Int64(report.time.tv_usec) / (report.status & STA_NANO == 0 ? 1000 : 1_000_000)
        return Timestamp(milliseconds: Int64(report.time.tv_sec) * 1000 + fraction)
    }
}

/// What the store keeps of the gateway's clock.
package struct StoredClock: Hashable, Sendable {
    /// The high-water mark: the latest time that a trusted clock has shown, as last written.
    package var highWaterMark: Timestamp
    /// A step forward that was not confirmed when the state was last written.
    package var unconfirmed: UnconfirmedStep?

    package init(highWaterMark: Timestamp, unconfirmed: UnconfirmedStep? = nil) {
        (self.highWaterMark, self.unconfirmed) = (highWaterMark, unconfirmed)
    }
}

/// A step forward of the wall clock that is not confirmed.
package struct UnconfirmedStep: Hashable, Sendable {
    /// The wall time that the clock would have shown without the step.
    package let before: Timestamp
    /// The wall time that the clock showed after the step.
    package let after: Timestamp

    package init(before: Timestamp, after: Timestamp) { (self.before, self.after) = (before, after) }
}

/// A step of the wall clock against the monotonic clock.
package struct ClockStep: Hashable, Sendable {
    /// The wall time that the clock would have shown without the step.
    package let before: Timestamp
    /// The wall time that the clock showed when the step was noticed.
    package let after: Timestamp

    package init(before: Timestamp, after: Timestamp) { (self.before, self.after) = (before, after) }

    /// The size; negative for a step back.
    package var size: Duration { after.duration(since: before) }
}

/// Why the wall clock is not trusted. Raw values are those of the API.
package enum ClockDistrust: String, CaseIterable, Sendable {
    /// The wall clock is more than 2 s below the high-water mark.
    case belowMark = "below_mark"
    /// The wall clock stepped forward, and the step is not confirmed.
    case steppedForward = "stepped_forward"
    /// The wall clock agrees again after a step, but not yet for 60 s.
    case agreeing
}

/// What made the clock trusted again. Raw values are those of the records.
package enum ClockConfirmation: String, CaseIterable, Sendable {
    /// The clock agreed for long enough.
    case agreement
    /// The operating system reports that its clock is synchronised.
    case synchronised
    /// A super admin has accepted the time.
    case accepted
}

/// An event of the gateway's clock.
package enum ClockEvent: Hashable, Sendable {
    /// The time between the stored mark and the start of the process counts as a step, or the start is before the mark.
    case startGap(ClockStep)
    /// The wall clock stepped against the monotonic clock.
    case step(ClockStep)
    /// The clock is not trusted any more.
    case lost(ClockDistrust)
    /// The clock is trusted again.
    case regained(ClockConfirmation)
}

/// A change of the stored state of the gateway's clock.
package enum StoredClockChange: Hashable, Sendable {
    /// Raises the mark; does nothing if it is already higher.
    case raiseMark(Timestamp)
    /// Sets the mark, also to a lower value.
    case setMark(Timestamp)
    /// Sets or clears the unconfirmed step forward. Refused if there is no mark.
    case setUnconfirmed(UnconfirmedStep?)
}
