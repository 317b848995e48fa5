package import DoorwardDomain
internal import DoorwardPolicy
internal import Logging
internal import Metrics
import Synchronization

/// Watches the gateway's clock: records its steps, keeps its state in the store, and notices a step while no decision is taken. Super
/// admins read the state of the clock, and accept its time.
package final class ClockWatch: Sendable {
    private struct State {
        var isWriting = false
        /// The records of events that could not be written yet.
        var unwritten: [PendingRecord] = []
    }

    /// How often the clocks are compared while the clock is trusted, and while it is not.
    package static let interval = (trusted: Duration.seconds(5), untrusted: Duration.seconds(1))
    /// How old the stored mark may become, in milliseconds, while nothing else is written.
    static let maxMarkAge: Int64 = 60_000
    private static let maxUnwritten = 256

    private let kernel: Kernel
    private let windows: WindowTimer
    private let trusted: Meter
    private let state = Mutex(State())

    /// Reads nothing before `start`.
    package init(_ kernel: Kernel, windows: WindowTimer) {
        (self.kernel, self.windows) = (kernel, windows)
        trusted = Meter(label: "doorward_clock_trusted", factory: kernel.metrics)
    }

    /// Continues from the stored state, and records what has happened since.
    package func start() async throws {
        kernel.clock.start(try await mappingStoreErrors(await kernel.storeGuard.tenancy.storedClock()))
        kernel.clock.onEvents { [weak self] in self?.eventsWereAdded() }
        await write()
    }

    /// Compares the clocks at intervals until the task is cancelled.
    package func run() async {
        while true {
            let interval = kernel.clock.observe().isTrusted ? Self.interval.trusted : Self.interval.untrusted
            guard await kernel.clock.pause(interval) else { return }
            kernel.clock.observe()
            kernel.clock.confirmIfSynchronised()
            if !state.withLock(\.unwritten.isEmpty) { await write() }
            if kernel.storeGuard.isAcceptingCommands, let mark = kernel.clock.markToWrite(after: Self.maxMarkAge) {
                _ = try? await kernel.storeGuard.write(StoreTransaction(clock: [.raiseMark(mark)]))
            }
        }
    }

    /// Records what has happened. The next transaction, which records the stop, carries the mark.
    package func stop() async {
        kernel.clock.onEvents {}
        await write()
        kernel.clock.requestMark()
    }

    /// Updates the gauge; to be called before metrics are read.
    package func sampleMetrics() { trusted.set(kernel.clock.observe().isTrusted ? 1 : 0) }

    // MARK: - Administration

    /// The state of the clock.
    ///
    /// - Throws: `.denied` unless the caller is a super admin.
    package func status(for caller: Caller) throws(GatewayError) -> ClockStatus {
        try kernel.directory.requireAdministration(by: caller)
        return kernel.clock.status
    }

    /// Confirms that the wall clock is right after a step forward, so that it is trusted again. Does nothing if it is trusted. The
    /// acceptance is recorded in the gateway's log.
    ///
    /// - Parameter loweringMark: whether the high-water mark is lowered if it is wrong, as after a start with a clock years ahead.
    /// - Throws: `.denied`; `.conflict` if the clock is below the mark, which is not lowered, or steps meanwhile; `.unavailable`.
    package func accept(_ caller: Caller, loweringMark: Bool) async throws(GatewayError) -> ClockStatus {
        try kernel.directory.requireAdministration(by: caller)
        let offer = kernel.clock.pendingConfirmation()
        guard !offer.isTrusted else { return kernel.clock.status }
        guard loweringMark || !offer.isBelowMark else { throw .conflict(Self.belowMark(offer)) }
        try await kernel.storeGuard.write(
            StoreTransaction(
                clock: [offer.isBelowMark ? .setMark(offer.at) : .raiseMark(offer.at), .setUnconfirmed(nil)],
                records: [record(of: offer, by: caller)]))
        guard kernel.clock.confirm(offer, loweringMark: loweringMark) else {
            throw .conflict("The clock changed while it was being accepted; check its state, then accept it again.")
        }
        windows.noteChangeOfTrust()
        return kernel.clock.status
    }

    private static func belowMark(_ offer: TrustedClock.PendingConfirmation) -> String {
        "The clock shows \(offer.at), which is before the latest trusted time, \(offer.highWaterMark). Set the clock of the gateway's "
            + "machine right; it is trusted again 60 seconds later. If the latest trusted time is wrong, accept the clock with "
            + "`lowerMark`."
    }

    private func record(of offer: TrustedClock.PendingConfirmation, by caller: Caller) -> PendingRecord {
        PendingRecord(
            .clockStep, id: kernel.random.id(at: offer.at), at: offer.at,
            actor: RecordActor(of: caller, in: kernel.directory.current), origin: caller.origin,
            details: [
                "change": .string("trust_regained"), "by": .string(ClockConfirmation.accepted.rawValue),
                "mark": .string(offer.highWaterMark.description), "after": .string(offer.at.description),
                "hasLoweredMark": .bool(offer.isBelowMark),
            ])
    }

    // MARK: - Events

    private func eventsWereAdded() {
        let begins = state.withLock { state in
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { Task(executorPreference: kernel.executor) { await self.writeAll() } }
    }

    private func writeAll() async {
        var hasMore = true
        while hasMore {
            await write()
            // Events that are added after this begin a task of their own.
            hasMore = state.withLock { state in
                state.isWriting = kernel.clock.hasEvents
                return state.isWriting
            }
        }
    }

    /// Records the events so far together with the state of the clock. What cannot be written is written later.
    private func write() async {
        let (events, dropped) = kernel.clock.takeEvents()
        for event in events { log(event) }
        if events.contains(where: \.changesTrust) { windows.noteChangeOfTrust() }
        var records = state.withLock { state in
            defer { state.unwritten = [] }
            return state.unwritten
        }
        records += events.map { record($0.details(of: kernel.clock.stored.highWaterMark)) }
        if dropped > 0 { records.append(record(["change": .string("more"), "count": .integer(Int64(dropped))])) }
        guard !records.isEmpty else { return }
        do {
            try await kernel.storeGuard.write(StoreTransaction(clock: kernel.clock.stored.changes, records: records))
        } catch {
            let unwritten = Array(records.prefix(Self.maxUnwritten))
            state.withLock { $0.unwritten = Array((unwritten + $0.unwritten).prefix(Self.maxUnwritten)) }
        }
    }

    private func record(_ details: [String: RecordValue]) -> PendingRecord {
        let now = kernel.clock.now()
        return PendingRecord(.clockStep, id: kernel.random.id(at: now), at: now, details: details)
    }

    private func log(_ event: ClockEvent) {
        switch event {
        case .step(let step):
            let direction = step.size < .zero ? "backward" : "forward"
            kernel.logger.warning("clock stepped \(direction)", metadata: step.metadata)
        case .startGap(let step):
            let sentence =
                step.size < .zero
                ? "clock stepped backward: the gateway starts before the latest trusted time"
                : "clock stepped forward: the gateway starts long after the latest trusted time"
            kernel.logger.warning("\(sentence)", metadata: step.metadata)
        case .lost(let reason):
            kernel.logger.error(
                "clock not trusted: guest accesses are denied; see `doorward clock status`",
                metadata: ["reason": "\(reason.rawValue)"])
        case .regained(let confirmation):
            kernel.logger.notice("clock trusted again", metadata: ["by": "\(confirmation.rawValue)"])
        }
    }
}

/// What the store keeps of the gateway's clock.
package struct StoredClock: Hashable, Sendable {
    /// The high-water mark: the latest time that a trusted clock has shown, as last written.
    package var highWaterMark: Timestamp
    /// A step forward that was not confirmed when the state was last written.
    package var unconfirmed: ClockStep?

    package init(highWaterMark: Timestamp, unconfirmed: ClockStep? = nil) {
        (self.highWaterMark, self.unconfirmed) = (highWaterMark, unconfirmed)
    }

    /// The changes that bring the store to this state.
    package var changes: [StoredClockChange] { [.raiseMark(highWaterMark), .setUnconfirmed(unconfirmed)] }
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

    fileprivate var metadata: Logger.Metadata {
        ["before": "\(before)", "after": "\(after)", "seconds": "\(Double(size.wholeMilliseconds) / 1000)"]
    }

    fileprivate func details(_ change: String) -> [String: RecordValue] {
        [
            "change": .string(change), "before": .string(before.description), "after": .string(after.description),
            "stepMs": .integer(size.wholeMilliseconds),
        ]
    }
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

    /// Whether decisions change although no right has changed.
    fileprivate var changesTrust: Bool {
        switch self {
        case .lost, .regained: true
        case .startGap, .step: false
        }
    }

    /// The details of the event's record.
    fileprivate func details(of mark: Timestamp) -> [String: RecordValue] {
        let details: [String: RecordValue] =
            switch self {
            case .startGap(let step): step.details("start")
            case .step(let step): step.details("step")
            case .lost(let reason): ["change": .string("trust_lost"), "reason": .string(reason.rawValue)]
            case .regained(let by): ["change": .string("trust_regained"), "by": .string(by.rawValue)]
            }
        return details.merging(["mark": .string(mark.description)]) { $1 }
    }
}

/// A change of the stored state of the gateway's clock.
package enum StoredClockChange: Hashable, Sendable {
    /// Raises the mark; does nothing if it is already higher.
    case raiseMark(Timestamp)
    /// Sets the mark, also to a lower value.
    case setMark(Timestamp)
    /// Sets or clears the unconfirmed step forward. Refused if there is no mark.
    case setUnconfirmed(ClockStep?)
}
