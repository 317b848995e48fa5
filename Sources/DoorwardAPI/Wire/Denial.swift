extension Wire {
    /// `details` of a denied request. They are absent if the object is not visible to the caller.
    package struct Denial: Decodable, Equatable, Sendable {
        /// The requested operation, such as `UNLOCK`; `nil` if the request was not an operation on a lock.
        package var operation: String?
        /// The lock of the operation.
        package var deviceId: String?
        /// The reason, such as `guest_window_ended`.
        package var reason: String?
        /// The rule that came nearest to allowing the request.
        package var rule: Rule?
        /// When the guest access begins, if it has not begun yet.
        package var opensAt: String?
        /// When the guest access ends or ended.
        package var closesAt: String?
        /// The role, operation, capability or module that the request lacks; `nil` if none of these would suffice.
        package var missing: Missing?

        /// The role, operation, capability or module that is missing.
        package struct Missing: Decodable, Equatable, Sendable {
            /// The lowest role that has the right.
            package var role: String?
            /// The operation that the guest access lacks.
            package var operation: String?
            /// The capability that the lock lacks.
            package var capability: String?
            /// The disabled module of the subscription.
            package var module: String?
        }
    }
}
