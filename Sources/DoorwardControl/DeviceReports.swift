package import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardPolicy
internal import Logging
internal import Metrics
import Synchronization

/// Receives what locks say: keeps their condition up to date, ends the command that waited for the word, and writes down
/// what a lock reports by itself.
package final class DeviceReports: ReportReceiver {
    private let directory: PublishedDirectory
    private let devices: LiveDevices
    private let ledger: Ledger
    private let clock: any GatewayClock
    private let random: RandomSource
    private let logger: Logger
    private let backlog = EventBacklog()
    private let metrics: ReportMetrics

    init(
        directory: PublishedDirectory, devices: LiveDevices, ledger: Ledger, clock: any GatewayClock, random: RandomSource,
        logger: Logger, metrics: ReportMetrics
    ) {
        self.metrics = metrics
        (self.directory, self.devices, self.ledger) = (directory, devices, ledger)
        (self.clock, self.random, self.logger) = (clock, random, logger)
    }

    /// Brings the device's status up to date, and writes down what happened at the lock by itself. Never waits for the disk.
    package func receive(_ report: LockReport) {
        metrics.countReceived()
        guard let live = devices.existing(report.deviceID) else { return metrics.ofUnknownDevice.increment() }
        let now = clock.now()
        let order = live.lane.orderUnderWay
        let change = live.update { $0.take(report.fact, at: now) }
        if order?.consider(report) == true { return }
        let late = report.fact.confirmedState.flatMap { live.takeUnanswered(answeredBy: $0) }
        // The late answer to a command is written down even where it changes nothing that was known.
        guard
            let event = (report.isRepeat ? nil : change.event(for: report.fact))
                ?? late.flatMap({ _ in report.fact.confirmedState.flatMap(RecordEvent.init) })
        else { return }
        write(event, report, answering: late, at: now)
    }

    /// Writes events as they come, those that wait together in one transaction, until `finish` and nothing waits.
    package func run() async {
        while let events = await backlog.next() {
            if await !write(events) {
                logger.error("events of devices could not be written", metadata: ["count": "\(events.count)"])
                metrics.notWritten.increment(by: events.count)
                backlog.lose(events)
            }
        }
    }

    /// Takes no further events; `run` ends when those that wait are written.
    package func finish() { backlog.finish() }

    /// Tries until the store writes again, or the gateway stops.
    ///
    /// - Returns: false when they are lost.
    private func write(_ events: [RecordBody]) async -> Bool {
        var wait = Duration.milliseconds(200)
        while true {
            do {
                try await ledger.write(StoreTransaction(records: events.map { PendingRecord($0) }))
                return true
            } catch .unavailable where !backlog.isFinished {
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: wait))) != nil else { return false }
                wait = min(wait * 2, .seconds(10))
            } catch {
                return false
            }
        }
    }

    private func write(_ event: RecordEvent, _ report: LockReport, answering late: UnansweredCommand?, at now: Timestamp) {
        guard let device = directory.current.device(report.deviceID) else { return }
        let stamp = DeviceStamp(device)
        let body = RecordBody(
            log: stamp.log, id: random.id(at: now), at: now, kind: .deviceEvent,
            actor: Actor(kind: .device, id: device.id.description, name: report.fact.operatorName), source: .device,
            device: stamp, commandID: late.flatMap { $0.log == stamp.log ? $0.id : nil }, stateAfter: report.fact.confirmedState,
            event: event,
            method: report.fact.method)
        if !backlog.add(body, of: device.id) { metrics.ofFullQueue.increment() }
    }
}

/// What a report changed of a lock's condition.
private struct ConditionChange {
    var stateBefore: LockState
    var wasHeardOf: Bool
    var doorBefore: DoorState
    var wasOnline: Bool?
    var wasBatteryLow: Bool?

    /// The event to write down, if the report says something new that no command of ours brought about.
    func event(for fact: LockReport.Fact) -> RecordEvent? {
        switch fact {
        case .state(let state, .confirmed, _, _):
            guard wasHeardOf, state != stateBefore else { return nil }
            return RecordEvent(state)
        case .door(let door) where doorBefore != .unknown && door != doorBefore:
            return door == .open ? .doorOpened : door == .closed ? .doorClosed : nil
        case .battery(_, low: true) where wasBatteryLow != true: return .batteryLow
        case .availability(true) where wasOnline == false: return .online
        case .availability(false) where wasOnline != false: return .offline
        case .event(let event, _, _): return event
        case .state, .door, .battery, .availability, .refusal, .faults: return nil
        }
    }
}

extension RecordEvent {
    /// `nil` for states that are on the way to another.
    fileprivate init?(_ state: LockState) {
        switch state {
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        case .unlatched: self = .unlatched
        case .jammed: self = .jammed
        case .locking, .unlocking, .unknown: return nil
        }
    }
}

extension LockReport.Fact {
    /// The state that the lock itself reports, live.
    fileprivate var confirmedState: LockState? {
        if case .state(let state, .confirmed, _, _) = self { state } else { nil }
    }

    fileprivate var method: EventMethod? {
        switch self {
        case .state(_, _, let method, _), .event(_, let method, _): method
        case .door, .battery, .availability, .refusal, .faults: nil
        }
    }

    fileprivate var operatorName: String? {
        switch self {
        case .state(_, _, _, let name), .event(_, _, let name): name
        case .door, .battery, .availability, .refusal, .faults: nil
        }
    }
}

extension DeviceStatus {
    fileprivate mutating func take(_ fact: LockReport.Fact, at now: Timestamp) -> ConditionChange {
        let change = ConditionChange(
            stateBefore: state, wasHeardOf: stateAt != nil, doorBefore: doorState, wasOnline: isOnline, wasBatteryLow: batteryLow)
        switch fact {
        // What the transport kept from before is older than the lock's own word, as long as the lock has been in reach since.
        case .state(_, .retained, _, _) where stateQuality == .confirmed && isOnline == true: break
        // What was said is old now; when it was said has not changed.
        case .state(state, .stale, _, _) where stateAt != nil: stateQuality = .stale
        case .state(let newState, let quality, _, _):
            (state, stateQuality, stateAt) = (newState, quality, now)
            if quality == .confirmed { isOnline = true }
            note(faults: Set(faults).subtracting([Self.jammed]), isJammed: newState == .jammed)
        case .door(let door): doorState = door
        case .battery(let level, let low):
            batteryLevel = level ?? batteryLevel
            batteryLow = low ?? batteryLow
        case .availability(let available): isOnline = available
        // A jam is a state: it is over when the bolt is elsewhere.
        case .faults(let words): note(faults: words.subtracting([Self.jammed]), isJammed: faults.contains(Self.jammed))
        case .refusal, .event: break
        }
        if fact.isLive { lastSeen = now }
        return change
    }

    private static let jammed = "jammed"

    private mutating func note(faults words: Set<String>, isJammed: Bool) {
        faults = (isJammed ? [Self.jammed] : []) + words.sorted()
    }
}

extension LockReport.Fact {
    /// Whether the lock itself was heard just now.
    fileprivate var isLive: Bool {
        switch self {
        case .state(_, let quality, _, _): quality == .confirmed
        case .availability(let available): available == true
        case .door, .battery, .refusal, .event: true
        // It may be others who say so: that it is gone, for one.
        case .faults: false
        }
    }
}
