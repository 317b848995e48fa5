package import DoorwardDomain

/// What the store keeps of the gateway's clock.
package struct StoredClock: Hashable, Sendable {
    /// The high-water mark: the latest time that a trusted clock has shown, as last written.
    package var mark: Timestamp
    /// A step forward that was not confirmed when the state was last written.
    package var unconfirmed: UnconfirmedStep?

    package init(mark: Timestamp, unconfirmed: UnconfirmedStep? = nil) { (self.mark, self.unconfirmed) = (mark, unconfirmed) }
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
