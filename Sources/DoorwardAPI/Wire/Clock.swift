extension Wire {
    /// The state of the gateway's clock.
    package struct Clock: Decodable, Equatable, Sendable {
        /// Whether the clock is trusted; if not, guest accesses are denied.
        package var isTrusted: Bool
        /// `below_mark`, `stepped_forward` or `agreeing`; `nil` for a trusted clock.
        package var reason: String?
        /// The time that the clock shows.
        package var at: String
        /// The latest time that the trusted clock has shown.
        package var mark: String
        /// Whether the operating system reports that its clock is synchronised.
        package var isSynchronised: Bool
        /// The largest step that leaves the clock trusted.
        package var maxStepSeconds: Int
        /// The last step since the start of the gateway.
        package var lastStep: Step?

        /// A step of the clock.
        package struct Step: Decodable, Equatable, Sendable {
            /// The time that the clock would have shown without the step.
            package var before: String
            /// The time that it showed after the step.
            package var after: String
            /// The size in milliseconds; negative for a step back.
            package var stepMs: Int
        }
    }

    /// `data` of `GET /clock` and `POST /clock/accept`.
    package struct ClockAnswer: Decodable, Sendable {
        /// The present state.
        package var clock: Clock
    }
}
