internal import DoorwardDomain

/// Determines which reports may be stale, and which must be live, after a command to a lock whose bridge repeats known values.
struct StaleStateFilter: Hashable, Sendable {
    /// The commanded operation.
    let operation: LockOperation
    /// When the command was sent, by the gateway's clock, in milliseconds since 1970; `nil` if unknown.
    private let sentAt: Int64?
    /// The live state of the bolt when the command was sent, which a bridge may repeat. `nil` if no live state was known: then
    /// the bridge may repeat any state.
    private var knownPosition: BoltState?
    /// The last report since the command, by the part of the profile. A later report with another value is not a repetition.
    private var lastReports: [Int: PositionReport] = [:]
    /// Whether the broker has delivered the state request that followed the command. After that, a
    /// report may be the answer to this request.
    var isStateRequested = false

    /// A report of the bolt's state.
    struct PositionReport: Hashable, Sendable {
        var position: BoltState
        /// The device's timestamp, in milliseconds since 1970; `nil` if the message has none.
        var time: Int64?
    }

    /// - Parameter before: the filter of the previous command. If no live state is known, the bridge may repeat the reports since
    ///   that command.
    init(_ operation: LockOperation, knownPosition: BoltState?, sentAt: Int64?, after before: StaleStateFilter?) {
        (self.operation, self.knownPosition, self.sentAt) = (operation, knownPosition, sentAt)
        lastReports = knownPosition == nil ? before?.lastReports ?? [:] : [:]
    }

    /// Whether a report concerns the command. The age of other reports does not matter.
    func concerns(_ position: BoltState) -> Bool { position == .jammed || position.lockState.satisfies(operation) }

    /// Whether a report cannot be a repetition. The device's timestamp decides this if the report has one; else the report must
    /// differ from the last one.
    func isFresh(_ report: PositionReport, of part: Int) -> Bool {
        let last = lastReports[part]
        guard let time = report.time else {
            return (last?.position ?? knownPosition).map { $0 != report.position } ?? false
        }
        if let sentAt, time >= sentAt { return true }
        return last?.time.map { $0 < time } ?? (knownPosition != nil)
    }

    mutating func record(_ report: PositionReport, of part: Int) { lastReports[part] = report }

    /// Discards the known state and the reports. Messages may have been missed, so the next message
    /// may repeat any earlier report.
    mutating func reset() { (knownPosition, lastReports, isStateRequested) = (nil, [:], false) }
}
