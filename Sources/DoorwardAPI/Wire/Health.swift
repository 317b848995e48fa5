extension Wire {
    /// `data` of `GET /healthz`.
    package struct HealthAnswer: Decodable, Sendable {
        /// Always true: a process that is not alive does not respond.
        package var alive: Bool
    }

    /// `data` of `GET /readyz`; a gateway that is not ready responds with 503.
    package struct ReadinessAnswer: Decodable, Sendable {
        /// Always true.
        package var ready: Bool
    }
}
