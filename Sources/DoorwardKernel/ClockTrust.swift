internal import DoorwardDomain

/// Decides whether the wall clock is trusted, by comparing its readings with those of the monotonic clock. Pure: the same readings give
/// the same result.
///
/// The wall clock is untrusted while it is more than 2 s below the high-water mark, and after a step of more than `maxStep` against
/// the monotonic clock: a step back until it agrees again for 60 s, a step forward until it is confirmed. The mark is the latest
/// trusted time; it rises only while the clock is trusted.
struct ClockTrust: Sendable {
    /// Readings of both clocks at one moment.
    struct Reading: Equatable, Sendable {
        let wall: Timestamp
        let monotonic: MonotonicInstant

        /// The wall time that a clock without a step shows at `monotonic`.
        func expected(at monotonic: MonotonicInstant) -> Timestamp {
            wall.advanced(by: monotonic.duration(since: self.monotonic))
        }
    }

    /// How far below the mark a trusted clock may be, and the smallest step that is recorded.
    static let tolerance = Duration.seconds(2)
    /// Whether two clocks whose readings differ by this much agree.
    static func isTolerable(_ difference: Duration) -> Bool { abs(difference) <= tolerance }
    /// How long the clock must agree after a step before it is trusted again.
    static let agreementTime = Duration.seconds(60)
    /// A start later than this after the mark counts as a step.
    static let maxStartGap = Duration.seconds(90 * 86_400)

    /// The largest step that leaves the clock trusted.
    let maxStep: Duration
    /// The latest trusted time.
    private(set) var highWaterMark: Timestamp
    /// Why the clock is untrusted; `nil` while it is trusted.
    private(set) var distrust: ClockDistrust?
    /// A step forward that was not confirmed; kept, also over restarts, until the clock is trusted again.
    private(set) var unconfirmed: ClockStep?
    /// The last reading.
    private(set) var last: Reading
    /// The last reading by a trusted clock; `nil` if this process has had none.
    private var anchor: Reading?
    /// The time since which the clock has agreed again; `nil` if it does not agree, or has not stepped.
    private var agreesSince: MonotonicInstant?
    /// Whether a step larger than `maxStep` has happened, so that the clock must agree for a while before it is trusted.
    private var needsAgreement: Bool

    /// The state at the start of the process.
    ///
    /// - Parameter stored: what an earlier process has stored; `nil` at the very first start.
    /// - Returns: the state, and the step if the gap since the mark counts as one.
    static func start(_ stored: StoredClock?, _ reading: Reading, maxStep: Duration) -> (ClockTrust, ClockEvent?) {
        var trust = ClockTrust(stored, reading, maxStep: maxStep)
        guard let stored else { return (trust, nil) }
        let gap = reading.wall.duration(since: stored.highWaterMark)
        trust.needsAgreement = trust.unconfirmed != nil || gap < .zero - maxStep
        trust.judge(reading)
        let isStep = gap > maxStartGap || gap < .zero - tolerance
        return (trust, isStep ? .startGap(ClockStep(before: stored.highWaterMark, after: reading.wall)) : nil)
    }

    private init(_ stored: StoredClock?, _ reading: Reading, maxStep: Duration) {
        (self.maxStep, last, needsAgreement) = (maxStep, reading, false)
        highWaterMark = stored?.highWaterMark ?? reading.wall
        unconfirmed = stored?.unconfirmed
        anchor = stored == nil ? reading : nil
    }

    /// Whether the clock is trusted.
    var isTrusted: Bool { distrust == nil }

    /// The latest time that is known to have passed.
    var latest: Timestamp { max(highWaterMark, anchor?.expected(at: last.monotonic) ?? highWaterMark) }

    /// Takes a reading. Returns the changes since the last reading.
    mutating func observe(_ reading: Reading) -> [ClockEvent] {
        let expected = last.expected(at: reading.monotonic)
        let size = reading.wall.duration(since: expected)
        var events: [ClockEvent] = []
        // The trusted clock has run up to the expected time before it stepped.
        if isTrusted { highWaterMark = max(highWaterMark, expected) }
        if !Self.isTolerable(size) {
            events.append(.step(ClockStep(before: expected, after: reading.wall)))
            agreesSince = nil
            if abs(size) > maxStep { needsAgreement = true }
        }
        let before = distrust
        judge(reading)
        if before == nil, let distrust { events.append(.lost(distrust)) }
        if before != nil, distrust == nil { events.append(.regained(.agreement)) }
        return events
    }

    /// Confirms the reading as the right time.
    ///
    /// - Parameter loweringMark: whether to lower the mark to the reading if it is higher.
    /// - Returns: false, without a change, if the clock is below the mark and the mark is not to be lowered.
    mutating func confirm(_ reading: Reading, loweringMark: Bool) -> Bool {
        guard loweringMark || !isBelowMark(reading.wall) else { return false }
        highWaterMark = isBelowMark(reading.wall) ? reading.wall : max(highWaterMark, reading.wall)
        trust(reading)
        return true
    }

    private func isBelowMark(_ wall: Timestamp) -> Bool { wall < highWaterMark.advanced(by: .zero - Self.tolerance) }

    private mutating func trust(_ reading: Reading) {
        (distrust, unconfirmed, agreesSince, needsAgreement) = (nil, nil, nil, false)
        (anchor, last) = (reading, reading)
        highWaterMark = max(highWaterMark, reading.wall)
    }

    /// Sets `distrust` by the rules, for a reading whose step, if it is one, has been taken into account.
    private mutating func judge(_ reading: Reading) {
        last = reading
        if isBelowMark(reading.wall) {
            (distrust, agreesSince) = (.belowMark, nil)
        } else if let step = stepForward(at: reading) {
            unconfirmed = unconfirmed ?? step
            (distrust, agreesSince) = (.steppedForward, nil)
        } else if needsAgreement, !hasAgreed(reading) {
            distrust = .agreeing
        } else {
            trust(reading)
        }
    }

    /// The step forward that is to be confirmed; `nil` if the clock agrees with the last trusted reading, or is below it.
    private func stepForward(at reading: Reading) -> ClockStep? {
        guard let anchor else {
            // No trusted reading in this process. If the wall clock shows a time before the step, it has been set back since.
            if let unconfirmed { return reading.wall >= unconfirmed.after ? unconfirmed : nil }
            guard reading.wall.duration(since: highWaterMark) > Self.maxStartGap else { return nil }
            return ClockStep(before: highWaterMark, after: reading.wall)
        }
        let expected = anchor.expected(at: reading.monotonic)
        guard reading.wall.duration(since: expected) > maxStep else { return nil }
        return ClockStep(before: expected, after: reading.wall)
    }

    private mutating func hasAgreed(_ reading: Reading) -> Bool {
        let since = agreesSince ?? reading.monotonic
        agreesSince = since
        return reading.monotonic.duration(since: since) >= Self.agreementTime
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
