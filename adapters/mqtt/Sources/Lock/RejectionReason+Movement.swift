extension RejectionReason {
    /// Whether the bolt may have moved despite the rejection, fully or in part.
    func mayHaveMoved(from state: DialectState) -> Bool {
        switch self {
        case .notAuthorised, .invalidCode, .schedule, .busy, .notCalibrated, .unsupported: false
        case .jammed: state.position != .jammed
        case .lowPower, .offline, .transport, .unknown: true
        }
    }
}
