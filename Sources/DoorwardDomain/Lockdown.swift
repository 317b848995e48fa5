/// An active lockdown of a property. Its locks can be locked, but not unlocked or unlatched, except by an override of an owner or
/// portfolio admin.
package struct Lockdown: Hashable, Sendable {
    /// When it was started.
    package let since: Timestamp
    /// The user who started it.
    package let byUserID: UserID?
    /// The reason that the user gave. Personal: the user may have entered anything.
    package let reason: String?

    package init(since: Timestamp, byUserID: UserID?, reason: String? = nil) {
        (self.since, self.byUserID, self.reason) = (since, byUserID, reason)
    }
}
