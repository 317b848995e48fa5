extension Wire {
    /// `details` of a denied right, for those who may know why. Whoever has no reach gets none of it.
    package struct Denial: Decodable, Equatable, Sendable {
        /// What was to be done, such as `UNLOCK`; `nil` where the right was to no operation on a lock.
        package var operation: String?
        /// The lock that it was to be done to.
        package var deviceId: String?
        /// The one reason, such as `guest_window_ended`.
        package var reason: String?
        /// The rule that came nearest to allowing it.
        package var rule: Rule?
        /// When the access begins that is not open yet.
        package var opensAt: String?
        /// When the access that was looked at ends, or has ended.
        package var closesAt: String?
        /// `nil` where nothing that could be had is missing.
        package var missing: Missing?

        /// What would have to be there.
        package struct Missing: Decodable, Equatable, Sendable {
            /// The lowest role that has the right.
            package var role: String?
            /// The operation that the guest access lacks.
            package var operation: String?
            /// The part that the lock lacks.
            package var capability: String?
            /// The part of the subscription that is off.
            package var module: String?
        }
    }
}
