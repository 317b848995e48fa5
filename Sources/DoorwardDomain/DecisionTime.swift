/// The time of a decision, read once from the gateway's clock: the instant, and whether the clock was trusted at that instant.
///
/// While the clock is untrusted, no guest window is known to be open, so guest accesses are denied. Roles do not depend on the
/// time and are decided as ever.
package struct DecisionTime: Hashable, Sendable {
    /// The reading of the wall clock. Windows and schedules are compared with it.
    package let instant: Timestamp
    /// The instant with which the end of a credential or of visibility is compared: `instant`, or the latest time that the gateway
    /// knows to have passed if the wall clock shows an earlier one. A clock that was set back revives nothing that has expired.
    package let expiryInstant: Timestamp
    /// Whether the wall clock was trusted.
    package let isTrusted: Bool

    /// - Parameter latest: the latest time that is known to have passed; `nil` if it is not later than `instant`.
    package init(_ instant: Timestamp, isTrusted: Bool, latest: Timestamp? = nil) {
        (self.instant, self.isTrusted) = (instant, isTrusted)
        expiryInstant = latest.map { max($0, instant) } ?? instant
    }

    /// The time of a decision by a trusted clock, or at an instant that a question names.
    package static func trusted(_ instant: Timestamp) -> Self { Self(instant, isTrusted: true) }
}
