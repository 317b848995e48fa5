/// How long the access log of a portfolio is kept.
package struct Retention: Hashable, Sendable {
    /// The number of days for which a record is kept, at least 1; `nil` for no limit.
    package var days: Int?
    /// Whether the log is under legal hold: nothing may be removed from it, regardless of `days`.
    package var legalHold: Bool

    package init(days: Int? = nil, legalHold: Bool = false) { (self.days, self.legalHold) = (days, legalHold) }
}
