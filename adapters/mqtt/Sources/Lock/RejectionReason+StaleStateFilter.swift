extension RejectionReason {
    /// Whether the bolt may have moved despite the rejection, fully or in part.
    func leavesDoubt(of memory: DialectState) -> Bool {
        switch self {
        case .notAuthorised, .invalidCode, .schedule, .busy, .notCalibrated, .unsupported: false
        case .jammed: memory.position != .jammed
        case .lowPower, .offline, .transport, .unknown: true
        }
    }
}
