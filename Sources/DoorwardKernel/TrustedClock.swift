internal import CTimex
package import DoorwardDomain
import FoundationEssentials
import Synchronization

/// The gateway's clock, with the knowledge whether the wall clock is trusted. The only source of the time of decisions.
///
/// Each decision compares both clocks with the last reading, so the first decision after a step already knows of it. While the
/// clock is trusted and has not stepped, this takes no lock and allocates nothing.
package final class TrustedClock: GatewayClock {
    private struct State {
        var trust: ClockTrust
        var lastStep: ClockStep?
        /// Events that are not recorded yet, the oldest first.
        var events: [ClockEvent] = []
        /// The number of events that were dropped because `events` was full.
        var dropped = 0
    }

    /// The maximum difference from the last reading that is ignored: slewing, and rounding to milliseconds.
    private static let slack: Int64 = 1_000_000_000
    /// The maximum number of events that wait to be recorded.
    private static let maxEvents = 64
    /// The minimum time between two marks that are written with other transactions.
    private static let markInterval: Int64 = 1000

    private let base: any GatewayClock
    private let synchronisedTime: @Sendable () -> Timestamp?
    private let state: Mutex<State>
    private let isTrusted: Atomic<Bool>
    /// The wall clock minus the monotonic clock at the last reading, in nanoseconds.
    private let offset: Atomic<Int64>
    /// The last mark that was given to a transaction, in milliseconds.
    private let writtenMark = Atomic<Int64>(.min)
    /// Called after events were added.
    private let handler = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - base: the clock of the machine.
    ///   - maxStep: the largest step that leaves the clock trusted.
    ///   - synchronisedTime: the time of the operating system, if that reports that its clock is synchronised. The report is about the
    ///     clock that shows this time, so it counts only if the gateway reads the same time.
    package init(
        _ base: any GatewayClock, maxStep: Duration = .seconds(60),
        synchronisedTime: @escaping @Sendable () -> Timestamp? = { nil }
    ) {
        (self.base, self.synchronisedTime) = (base, synchronisedTime)
        let reading = Self.read(base)
        let (trust, _) = ClockTrust.start(nil, reading, maxStep: maxStep)
        state = Mutex(State(trust: trust))
        isTrusted = Atomic(trust.isTrusted)
        offset = Atomic(reading.offset)
    }

    // MARK: GatewayClock

    /// The wall clock as the machine shows it. Decisions use `decisionTime()`.
    package func now() -> Timestamp { base.now() }

    /// The monotonic clock.
    package func monotonicNow() -> MonotonicInstant { base.monotonicNow() }

    /// Suspends until the monotonic clock has reached `instant`.
    package func sleep(until instant: MonotonicInstant) async throws { try await base.sleep(until: instant) }

    // MARK: Reading

    /// The time of one decision. Read it once for each decision.
    package func decisionTime() -> DecisionTime {
        let reading = ClockTrust.Reading(wall: base.now(), monotonic: base.monotonicNow())
        if isTrusted.load(ordering: .acquiring),
            (reading.offset &- offset.load(ordering: .relaxed)).magnitude <= UInt64(Self.slack)
        {
            return .trusted(reading.wall)
        }
        return observe()
    }

    /// The time with which sessions, tokens, keys and links are compared and stamped: the wall clock, or the latest time that is
    /// known to have passed if that is later.
    package func credentialNow() -> Timestamp { decisionTime().expiryInstant }

    /// Reads both clocks, and takes the reading into account.
    @discardableResult
    package func observe() -> DecisionTime {
        let (time, hasEvents) = state.withLock { state in
            let reading = Self.read(base)
            let events = state.trust.observe(reading)
            note(events, in: &state)
            return (Self.time(of: state.trust, at: reading), !events.isEmpty)
        }
        if hasEvents { handler.withLock { $0 }?() }
        return time
    }

    /// Confirms a step forward if the operating system reports that its clock is synchronised, and that clock is the one that the
    /// gateway reads.
    func confirmIfSynchronised() {
        guard !isTrusted.load(ordering: .acquiring), let system = synchronisedTime() else { return }
        let isConfirmed = state.withLock { state in
            let reading = Self.read(base)
            guard !state.trust.isTrusted, ClockTrust.isTolerable(reading.wall.duration(since: system)),
                state.trust.confirm(reading, loweringMark: false)
            else { return false }
            note([.regained(.synchronised)], in: &state)
            return true
        }
        if isConfirmed { handler.withLock { $0 }?() }
    }

    // MARK: Start and acceptance

    /// Continues from what an earlier process has stored; `nil` at the very first start.
    package func start(_ stored: StoredClock?) {
        state.withLock { state in
            let (trust, event) = ClockTrust.start(stored, Self.read(base), maxStep: state.trust.maxStep)
            state.trust = trust
            var events = [event].compactMap(\.self)
            if let distrust = trust.distrust { events.append(.lost(distrust)) }
            note(events, in: &state)
        }
        confirmIfSynchronised()
    }

    /// The time that a super admin would confirm by accepting it.
    package func pendingConfirmation() -> PendingConfirmation {
        observe()
        return state.withLock {
            PendingConfirmation(reading: $0.trust.last, highWaterMark: $0.trust.highWaterMark, isTrusted: $0.trust.isTrusted)
        }
    }

    /// Confirms a time that a super admin has accepted: the clock is trusted.
    ///
    /// - Parameter loweringMark: whether the mark is lowered if the wall clock is below it.
    /// - Returns: false, without a change, if the clock has stepped since, or is below a mark that is not to be lowered.
    package func confirm(_ offer: PendingConfirmation, loweringMark: Bool) -> Bool {
        state.withLock { state in
            let reading = Self.read(base)
            let step = reading.wall.duration(since: offer.reading.expected(at: reading.monotonic))
            guard ClockTrust.isTolerable(step) else { return false }
            note(state.trust.observe(reading), in: &state)
            guard state.trust.confirm(reading, loweringMark: loweringMark) else { return false }
            publish(state.trust)
            // The mark may be lower than the last one that was written.
            requestMark()
            return true
        }
    }

    /// A time that a super admin accepts.
    package struct PendingConfirmation: Sendable {
        fileprivate let reading: ClockTrust.Reading
        /// The mark before.
        let highWaterMark: Timestamp
        /// Whether the clock is trusted without an acceptance.
        let isTrusted: Bool

        /// The accepted time.
        var at: Timestamp { reading.wall }
        /// Whether the accepted time is so far below the mark that the mark has to be lowered.
        var isBelowMark: Bool { at < highWaterMark.advanced(by: .zero - ClockTrust.tolerance) }
    }

    // MARK: State

    /// The current state, after a reading.
    package var status: ClockStatus {
        observe()
        confirmIfSynchronised()
        let isSynchronised = synchronisedTime() != nil
        return state.withLock { state in
            ClockStatus(
                at: state.trust.last.wall, highWaterMark: state.trust.highWaterMark, distrust: state.trust.distrust,
                lastStep: state.lastStep,
                isSynchronised: isSynchronised, maxStep: state.trust.maxStep)
        }
    }

    /// What the store should keep now.
    package var stored: StoredClock {
        state.withLock { StoredClock(highWaterMark: $0.trust.highWaterMark, unconfirmed: $0.trust.unconfirmed) }
    }

    /// The mark to write with a transaction; `nil` if the clock is untrusted, or if a mark was written less than a second ago.
    func markToWrite(after interval: Int64 = TrustedClock.markInterval) -> Timestamp? {
        let time = decisionTime()
        let written = writtenMark.load(ordering: .relaxed)
        guard time.isTrusted, written == .min || time.instant.milliseconds >= written + interval,
            writtenMark.compareExchange(expected: written, desired: time.instant.milliseconds, ordering: .relaxed).exchanged
        else { return nil }
        return time.instant
    }

    /// Makes the next transaction carry the mark.
    func requestMark() { writtenMark.store(.min, ordering: .relaxed) }

    /// Sets the function that is called when there are events to record. It must not block.
    func onEvents(_ handle: @escaping @Sendable () -> Void) { handler.withLock { $0 = handle } }

    /// Whether there are events that are not recorded yet.
    var hasEvents: Bool { state.withLock { !$0.events.isEmpty } }

    /// Removes and returns the events that are not recorded yet, and how many more there were.
    func takeEvents() -> (events: [ClockEvent], dropped: Int) {
        state.withLock { state in
            defer { (state.events, state.dropped) = ([], 0) }
            return (state.events, state.dropped)
        }
    }

    private func note(_ events: [ClockEvent], in state: inout State) {
        for event in events {
            if case .step(let step) = event { state.lastStep = step }
            if case .startGap(let step) = event { state.lastStep = step }
            if state.events.count < Self.maxEvents { state.events.append(event) } else { state.dropped += 1 }
        }
        publish(state.trust)
    }

    /// Makes the state visible to decisions. The caller holds the mutex.
    private func publish(_ trust: ClockTrust) {
        offset.store(trust.last.offset, ordering: .relaxed)
        isTrusted.store(trust.isTrusted, ordering: .releasing)
    }

    private static func time(of trust: ClockTrust, at reading: ClockTrust.Reading) -> DecisionTime {
        trust.isTrusted ? .trusted(reading.wall) : DecisionTime(reading.wall, isTrusted: false, latest: trust.latest)
    }

    /// Reads both clocks. A thread that is suspended between the two readings would see a step that never happened, so the
    /// reading is repeated until the two are close.
    private static func read(_ clock: any GatewayClock) -> ClockTrust.Reading {
        var best: (reading: ClockTrust.Reading, width: Duration)?
        for _ in 0..<8 {
            let begun = clock.monotonicNow()
            let wall = clock.now()
            let width = clock.monotonicNow().duration(since: begun)
            if best.map({ width < $0.width }) ?? true {
                best = (ClockTrust.Reading(wall: wall, monotonic: begun.advanced(by: width / 2)), width)
            }
            if width <= .milliseconds(10) { break }
        }
        return best?.reading ?? ClockTrust.Reading(wall: clock.now(), monotonic: clock.monotonicNow())
    }
}

/// The state of the gateway's clock.
package struct ClockStatus: Sendable {
    /// The wall clock.
    package let at: Timestamp
    /// The high-water mark.
    package let highWaterMark: Timestamp
    /// Why the clock is not trusted; `nil` if it is.
    package let distrust: ClockDistrust?
    /// The last step since the start of the process.
    package let lastStep: ClockStep?
    /// Whether the operating system reports that its clock is synchronised.
    package let isSynchronised: Bool
    /// The largest step that leaves the clock trusted.
    package let maxStep: Duration
}

extension ClockTrust.Reading {
    /// The wall clock minus the monotonic clock, in nanoseconds.
    fileprivate var offset: Int64 { (wall.milliseconds &* 1_000_000) &- monotonic.nanoseconds }
}

/// The wall clock and monotonic clock of the machine.
package struct SystemClock: GatewayClock {
    /// The origin of monotonic readings; the same for all clocks of the process.
    private static let start = ContinuousClock.now

    package init() {}

    /// The time of day, in whole milliseconds.
    package func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// The time since the first reading of the process.
    package func monotonicNow() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: Self.start.duration(to: .now))
    }

    /// Suspends until `instant`, or throws when the task is cancelled.
    package func sleep(until instant: MonotonicInstant) async throws {
        try await ContinuousClock().sleep(until: Self.start.advanced(by: .nanoseconds(instant.nanoseconds)))
    }

    /// The time of the operating system, if a time daemon such as chrony, ntpd or systemd-timesyncd has told the Linux kernel that the
    /// clock is synchronised; setting the clock by hand clears this. Adjusts nothing, so it needs no privilege.
    ///
    /// See adjtimex(2): `STA_UNSYNC` is clear, and the state is not `TIME_ERROR`.
    package static func synchronisedTime() -> Timestamp? {
        var report = timex()
        let state = adjtimex(&report)
        guard state >= 0, state != TIME_ERROR, report.status & STA_UNSYNC == 0 else { return nil }
        let fraction = Int64(report.time.tv_usec) / (report.status & STA_NANO == 0 ? 1000 : 1_000_000)
        return Timestamp(milliseconds: Int64(report.time.tv_sec) * 1000 + fraction)
    }
}
