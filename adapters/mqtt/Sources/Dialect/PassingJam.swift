internal import DoorwardDomain
internal import DoorwardMQTT

/// A jam that was reported during a command, and may be only a state on the bolt's way.
///
/// A bolt between its ends (fault `notFullyLocked`) is on its way or blocked, and both are reported alike. A flag or an event `jam`
/// may end before the command does. The jam counts once nothing better has been reported for `settlingTime`, or at the deadline.
struct PassingJam: Hashable, Sendable {
    /// How long the jam must be the last report.
    static let settlingTime = Duration.seconds(5)

    /// Whether the bolt's position was reported as jammed.
    var isPosition = false
    /// The parts of the profile whose flag or event reports the jam; `MessageDecoder.eventFaults` for an event.
    var flags: Set<Int> = []
    /// The faults that belong to the jam. They are not reported before the jam counts.
    var faults: Set<LockFault> = []
    /// The events that belong to the jam, without repetitions.
    var events: [LockEvent] = []

    var isOver: Bool { !isPosition && flags.isEmpty }

    /// Removes the flag of a part.
    mutating func end(_ part: Int) { flags.remove(part) }
}

extension MessageDecoder {
    /// Holds back a jam that may be passing, and drops a held jam when something better is reported.
    mutating func holdPassingJam() {
        guard let inFlight = state.inFlight, !message.isRetained else { return }
        let live = observed.flatMap { $0.quality == .confirmed ? $0 : nil }
        if let live, live.position.lockState.satisfies(inFlight.operation) || (live.position == .jammed && !live.isHalfWay) {
            state.passingJam = nil
            return
        }
        var jam = state.passingJam ?? PassingJam()
        if let live {
            jam.isPosition = live.isHalfWay
            if live.isHalfWay {
                jam.faults.formUnion(live.faults)
                observed?.position = inFlight.operation.movingPosition
            }
        }
        let events = decoded.events.filter { $0.kind == .jam }
        decoded.events.removeAll { $0.kind == .jam }
        jam.events += events.filter { !jam.events.contains($0) }
        jam.flags.formUnion(jamFlags)
        if jamFlags.contains(Self.eventFaults) { jam.faults.formUnion(state.faultsByItem[Self.eventFaults] ?? []) }
        state.passingJam = jam.isOver ? nil : jam
    }

    /// Reports a held jam together with the rejection that ends the command.
    mutating func releasePassingJam() {
        guard let jam = state.endPassingJam(&report) else { return }
        decoded.events += jam.events
        decoded.command = .rejected(.jammed)
    }
}

extension Dialect {
    /// Concludes that a held jam has lasted: reports it, and ends the command in flight as jammed.
    package func concludePassingJam(_ state: inout DialectState) -> DecodedMessage {
        var (decoded, report) = (DecodedMessage(), DecodedMessage.Report())
        guard let jam = state.endPassingJam(&report) else { return decoded }
        state.staleStateFilter = nil
        let faults = state.allFaults
        if faults != state.faults { (state.faults, report.faults) = (faults, faults) }
        if report != DecodedMessage.Report() { decoded.reports = [report] }
        (decoded.events, decoded.command) = (jam.events, .rejected(.jammed))
        return decoded
    }
}

extension DialectState {
    /// Ends a held jam, which counts from now on.
    fileprivate mutating func endPassingJam(_ report: inout DecodedMessage.Report) -> PassingJam? {
        guard let jam = passingJam else { return nil }
        passingJam = nil
        if jam.isPosition {
            (position, quality) = (.jammed, .confirmed)
            (report.position, report.quality) = (position, quality)
        }
        return jam
    }
}

extension LockOperation {
    /// The position of a bolt on its way.
    fileprivate var movingPosition: BoltState {
        switch self {
        case .lock: .locking
        case .unlatch: .opening
        case .unlock, .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: .unlocking
        }
    }
}
