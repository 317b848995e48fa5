package import DoorwardDomain

/// The known state of one lock, which provides the context to decode the next message. Its size is
/// bounded: it contains at most one value for each part of a profile.
package struct DialectState: Hashable, Sendable {
    /// The last reported position of the bolt.
    package var position = BoltState.unknown
    /// How far `position` can be trusted; stale until a message was received.
    package var quality = StateQuality.stale
    /// The availability, combined from all its topics.
    package var availability = Availability.unknown
    /// All faults, whichever topic reported them.
    package var faults: Set<LockFault> = []
    /// The command in flight: sent, without an outcome.
    package var inFlight: InFlightCommand?

    /// A jam that is not reported yet, because it may be a state on the way of the command in flight.
    var passingJam: PassingJam?
    /// Whether a command was sent and the lock has not reported its outcome. The bolt may then have
    /// left the last reported position.
    var hasUnansweredCommand = false
    /// Set while a report that satisfies the last command may be older than that command. The
    /// filter is kept after the command has ended, until a report arrives that must be live.
    var staleStateFilter: StaleStateFilter?
    /// The last report of each state topic, by its index in the profile.
    var states: [Int: ReportedState] = [:]
    /// The last report of each availability topic, by its index in the profile.
    var availabilityByItem: [Int: Availability] = [:]
    /// The faults by the part of the profile that reported them.
    var faultsByItem: [Int: Set<LockFault>] = [:]
    /// The parts whose last value means an event. The event is raised once, when the value appears.
    var activeEvents: Set<Int> = []
    /// The parts for which it is known whether their event is active. The next change of such a part is an event, even if it
    /// arrives much later.
    var seenItems: Set<Int> = []
    /// The last values of the events that are raised only on change, by their part of the profile.
    var lastEventValues: [Int: [String: String]] = [:]
    /// Hashes of the last messages with an event, by their part of the profile; none if the part's last message had no event.
    var lastEventMessages: [Int: Int] = [:]
    /// The parts whose next message may be the last one again: since the broker or the bridge has reconnected, none has arrived.
    var repeatableEvents: Set<Int> = []
    /// Set for a lock that starts without any known state: if its bridge repeats all values, the first values may be old.
    var isNewlyAttached = false
    /// The last reported values other than the bolt's state.
    var otherValues = OtherValues()

    package init() {}

    /// A command in flight.
    package struct InFlightCommand: Hashable, Sendable {
        /// One of `LockOperation.movements`.
        package var operation: LockOperation
        /// The reference that was sent; `nil` if the dialect does not correlate responses. Then any
        /// response counts as the response to this command.
        package var reference: String?
        /// When the command was sent, by the gateway's clock; `nil` if unknown.
        var sentAt: Timestamp?
        /// Whether the lock had reported the commanded state live when the command was sent.
        package var wasInCommandedState = false
    }

    struct ReportedState: Hashable, Sendable {
        var position: BoltState
        var quality: StateQuality
        /// The device's timestamp.
        var time: Int64?
        /// The timestamp of the last live report that was older than `time`, and so was ignored.
        var olderTime: Int64?
    }

    struct OtherValues: Hashable, Sendable {
        var door: DoorPosition?
        var battery: Double?
        var isBatteryLow: Bool?
        /// A hash of the other values of a merged message, without those that change with every message; `nil` if there are none.
        var rest: Int?
    }

    /// Forgets a held jam, as no later report can show whether the bolt has passed the state.
    ///
    /// - Returns: whether the last known position is therefore jammed.
    @discardableResult
    mutating func dropPassingJam() -> Bool {
        guard let jam = passingJam else { return false }
        passingJam = nil
        if jam.isPosition { position = .jammed }
        return jam.isPosition
    }

    /// The faults of all parts, without those of a jam that is not reported yet.
    var allFaults: Set<LockFault> {
        faultsByItem.values.reduce(into: Set<LockFault>()) { $0.formUnion($1) }.subtracting(passingJam?.faults ?? [])
    }

    /// Marks the known state as stale, as messages may have been missed or repeated; the next messages may be old.
    package mutating func markStale() {
        quality = .stale
        staleStateFilter?.reset()
    }
}

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
        guard let time = report.time else { return (last?.position ?? knownPosition).map { $0 != report.position } ?? false }
        if let sentAt, time >= sentAt { return true }
        return last?.time.map { $0 < time } ?? (knownPosition != nil)
    }

    mutating func record(_ report: PositionReport, of part: Int) { lastReports[part] = report }

    /// Discards the known state and the reports. Messages may have been missed, so the next message
    /// may repeat any earlier report.
    mutating func reset() { (knownPosition, lastReports, isStateRequested) = (nil, [:], false) }
}
