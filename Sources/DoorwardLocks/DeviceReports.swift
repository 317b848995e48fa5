package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
package import Logging
package import Metrics
import Synchronization

/// Receives the reports of locks: updates the device status, ends the command that a report confirms or rejects, and records the
/// events that no command has caused.
package final class DeviceReports: ReportReceiver {
    private let directory: CurrentDirectory
    private let devices: DeviceRuntimes
    private let storeGuard: StoreGuard
    private let clock: any GatewayClock
    private let random: RandomSource
    private let logger: Logger
    private let eventQueue = DeviceEventQueue()
    private let availability = AvailabilityRateLimit()
    private let executor: (any TaskExecutor)?
    /// One timer for each device whose availability changes are being counted.
    private let timers = Mutex<[DeviceID: Task<Void, Never>]>([:])
    private let metrics: ReportMetrics

    /// Writes nothing before `run`.
    package init(
        directory: CurrentDirectory, devices: DeviceRuntimes, storeGuard: StoreGuard, clock: any GatewayClock,
        random: RandomSource,
        logger: Logger, metrics: any MetricsFactory, executor: (any TaskExecutor)? = nil
    ) {
        (self.metrics, self.executor) = (ReportMetrics(metrics), executor)
        (self.directory, self.devices, self.storeGuard) = (directory, devices, storeGuard)
        (self.clock, self.random, self.logger) = (clock, random, logger)
    }

    /// Updates the device's status, and queues a record of each event that no command in flight has caused. Never waits for the
    /// disk.
    package func receive(_ report: LockReport) {
        metrics.countReceived()
        guard let runtime = devices.existing(report.deviceID) else { return metrics.ofUnknownDevice.increment() }
        let now = clock.now()
        let inFlight = runtime.queue.inFlightCommand
        let (change, isAnswer) = runtime.update { status in
            let change = status.take(report.fact, at: now)
            let isAnswer = inFlight?.ends(report) ?? false
            if isAnswer, inFlight?.command.operation.isMovement == true, case .refusal(let cause) = report.fact,
                cause.leavesDoubt(of: status.state)
            {
                status.markStateStale()
            }
            return (change, isAnswer)
        }
        if isAnswer { return }
        // The lock has been given other settings than the stored ones: by a command that it confirms too late, or by hand.
        if case .settings(let settings) = report.fact, settings != directory.current.device(runtime.id)?.settings {
            runtime.areSettingsConfirmed = false
        }
        let late = runtime.claimLateConfirmation(by: report.fact, at: clock.monotonicNow())
        // A late confirmation of a command is recorded even if it does not change the known state.
        guard
            let event = (report.isRepeat ? nil : change.event(for: report.fact))
                ?? late.flatMap({ _ in report.fact.confirmedState.flatMap(RecordEvent.init) })
        else { return }
        write(event, report, answering: late, at: now)
    }

    /// Writes queued events, in batches of one transaction each, until `finish` is called and the queue is empty.
    package func run() async {
        while let events = await eventQueue.next() {
            if await !write(events) {
                logger.error("device events could not be recorded", metadata: ["count": "\(events.count)"])
                metrics.notWritten.increment(by: events.count)
                eventQueue.lose(events)
            }
            if let dropped = eventQueue.takeDropped() {
                logger.error(
                    "device events were dropped: the queue was full because the store was too slow",
                    metadata: ["events": "\(dropped.events)", "devices": "\(dropped.devices.count)"])
            }
        }
    }

    /// Accepts no further events; `run` returns once the queued ones are written.
    package func finish() {
        timers.withLock { timers in
            for timer in timers.values { timer.cancel() }
            timers = [:]
        }
        for summary in availability.summaries(at: clock.now()) { enqueue(summary) }
        eventQueue.finish()
    }

    /// Retries until the store can write again or the gateway stops.
    ///
    /// - Returns: false if the events are lost.
    private func write(_ events: [RecordBody]) async -> Bool {
        var wait = Duration.milliseconds(200)
        while true {
            do {
                try await storeGuard.write(StoreTransaction(records: events.map { PendingRecord($0) }))
                return true
            } catch .unavailable where !eventQueue.isFinished {
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: wait))) != nil else { return false }
                wait = min(wait * 2, .seconds(10))
            } catch {
                return false
            }
        }
    }

    private func write(_ event: RecordEvent, _ report: LockReport, answering late: UnconfirmedCommand?, at now: Timestamp) {
        guard let device = directory.current.device(report.deviceID) else { return }
        let snapshot = DeviceSnapshot(device)
        let body = RecordBody(
            log: snapshot.log, id: random.id(at: now), at: now, kind: .deviceEvent,
            actor: RecordActor(kind: .device, id: device.id.description, name: report.fact.operatorName), source: .device,
            device: snapshot,
            commandID: late.flatMap { $0.log == snapshot.log ? $0.id : nil } ?? lateCommand(in: report, snapshot.log),
            stateAfter: report.fact.confirmedState,
            event: event,
            method: report.fact.method)
        guard event == .online || event == .offline else { return enqueue(body) }
        let admission = availability.admit(body, of: device.id, at: clock.monotonicNow())
        for record in admission.records { enqueue(record) }
        if let due = admission.summaryDue { writeSummary(of: device.id, at: due) }
    }

    private func enqueue(_ event: RecordBody) {
        guard let device = event.device?.deviceID else { return }
        if !eventQueue.add(event, of: device) { metrics.ofFullQueue.increment() }
    }

    /// Records, at `due`, the summary of a device's counted availability changes.
    private func writeSummary(of device: DeviceID, at due: MonotonicInstant) {
        let timer = Task(executorPreference: executor) { [self] in
            guard (try? await clock.sleep(until: due)) != nil else { return }
            // Hold the mutex under which `finish` cancels the timers: either this task queues the
            // summary before the queue is closed, or `finish` queues it.
            timers.withLock { timers in
                guard !Task.isCancelled else { return }
                timers[device] = nil
                if let summary = availability.summary(of: device, at: clock.monotonicNow(), clock.now()) { enqueue(summary) }
            }
        }
        timers.withLock { $0[device] = timer }
    }
}

extension DeviceReports {
    /// The command that was delivered late, if its intent is recorded in `log`; other logs must not name the command.
    private func lateCommand(in report: LockReport, _ log: LogID) -> CommandID? {
        guard case .deliveredLate(let command) = report.fact else { return nil }
        return devices.existing(report.deviceID)?.logOfSent(command) == log ? command : nil
    }
}

/// The status before a report, to detect what the report changed.
private struct ConditionChange {
    var stateBefore: LockState
    var hadState: Bool
    var doorBefore: DoorState
    var wasOnline: Bool?
    var wasBatteryLow: Bool?

    /// The event to record for a report that did not end a command in flight; `nil` if the report requires no record.
    func event(for fact: LockReport.Fact) -> RecordEvent? {
        switch fact {
        case .state(let state, .confirmed, _, _):
            guard hadState, state != stateBefore else { return nil }
            return RecordEvent(state)
        case .door(let door) where doorBefore != .unknown && door != doorBefore:
            return door == .open ? .doorOpened : door == .closed ? .doorClosed : nil
        case .battery(_, low: true) where wasBatteryLow != true: return .batteryLow
        case .availability(true) where wasOnline == false: return .online
        case .availability(false) where wasOnline != false: return .offline
        case .event(let event, _, _): return event
        case .deliveredLate: return .commandDeliveredLate
        case .state, .door, .battery, .availability, .refusal, .faults, .settings, .product: return nil
        }
    }
}

extension RecordEvent {
    /// `nil` for transitional and unknown states.
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
    /// The state in a live report of the lock itself.
    fileprivate var confirmedState: LockState? {
        if case .state(let state, .confirmed, _, _) = self { state } else { nil }
    }

    fileprivate var method: EventMethod? {
        switch self {
        case .state(_, _, let method, _), .event(_, let method, _): method
        case .door, .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: nil
        }
    }

    fileprivate var operatorName: String? {
        switch self {
        case .state(_, _, _, let name), .event(_, _, let name): name
        case .door, .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: nil
        }
    }
}

extension LockRefusal {
    /// Whether the bolt may have moved, completely or partly, despite the rejection.
    fileprivate func leavesDoubt(of state: LockState) -> Bool {
        switch self {
        case .busy, .notAuthorised, .invalidCode, .notCalibrated, .unsupported: false
        case .jammed: state != .jammed
        case .lowPower, .transport, .offline, .other: true
        }
    }
}

extension DeviceStatus {
    fileprivate mutating func take(_ fact: LockReport.Fact, at now: Timestamp) -> ConditionChange {
        let change = ConditionChange(
            stateBefore: state, hadState: stateAt != nil, doorBefore: doorState, wasOnline: isOnline, wasBatteryLow: batteryLow)
        switch fact {
        // Ignore a retained state if the lock has stayed online since its own report: the retained state is older.
        case .state(_, .retained, _, _) where stateQuality == .confirmed && isOnline == true: break
        // Mark the known state as outdated; keep the time at which it was reported.
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
        // Keep the fault `jammed`: it is part of the state, and ends when the lock reports another state.
        case .faults(let words): note(faults: words.subtracting([Self.jammed]), isJammed: faults.contains(Self.jammed))
        case .product(let product): self.product = product
        case .deliveredLate: markStateStale()
        case .refusal, .event, .settings: break
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
    /// Whether the report shows that the lock itself is communicating now.
    fileprivate var isLive: Bool {
        switch self {
        case .state(_, let quality, _, _): quality == .confirmed
        case .availability(let available): available == true
        case .door, .battery, .refusal, .event, .settings: true
        // The report may come from another source, such as a broker reporting that the lock is gone.
        case .faults, .product, .deliveredLate: false
        }
    }
}

/// Rate limits the records of a lock's availability: the first changes are recorded individually, further ones as one summary
/// per minute with their number. The last availability is always recorded.
final class AvailabilityRateLimit: Sendable {
    /// The maximum number of changes in a window that are recorded individually, enough for two restarts of a lock.
    static let burst = 4
    static let window = Duration.seconds(60)

    private struct Device {
        var windowEnd: MonotonicInstant
        /// How many more changes are recorded individually before `windowEnd`.
        var left: Int
        /// The last change that was counted but not recorded, and the number of such changes.
        var counted: (last: RecordBody, changes: Int)?
    }

    /// How to record a change.
    struct Admission {
        /// Records to write now.
        var records: [RecordBody] = []
        /// When to call `summary`; set if this change is the first that was only counted.
        var summaryDue: MonotonicInstant?
    }

    private let devices = Mutex<[DeviceID: Device]>([:])

    /// Decides how to record a change of a device's availability.
    func admit(_ change: RecordBody, of id: DeviceID, at now: MonotonicInstant) -> Admission {
        devices.withLock { devices in
            var admission = Admission()
            var device = devices[id]
            if let counted = device?.counted, counted.last.log != change.log {
                // The device has moved to another portfolio; the new log does not cover the time before the move.
                admission.records.append(Self.summary(counted, at: change.at))
                device = nil
            }
            var known = device ?? Device(windowEnd: now.advanced(by: Self.window), left: Self.burst)
            if known.counted == nil, now >= known.windowEnd {
                known = Device(windowEnd: now.advanced(by: Self.window), left: Self.burst)
            }
            if let counted = known.counted {
                known.counted = (change, counted.changes + 1)
            } else if known.left > 0 {
                known.left -= 1
                admission.records.append(change)
            } else {
                known.counted = (change, 1)
                admission.summaryDue = known.windowEnd
            }
            devices[id] = known
            return admission
        }
    }

    /// The summary of a device's counted changes; `nil` if there are none. In the window that follows, every change is only
    /// counted.
    func summary(of id: DeviceID, at now: MonotonicInstant, _ instant: Timestamp) -> RecordBody? {
        devices.withLock { devices in
            guard let counted = devices[id]?.counted else { return nil }
            devices[id] = Device(windowEnd: now.advanced(by: Self.window), left: 0)
            return Self.summary(counted, at: instant)
        }
    }

    /// The summaries of all changes that were counted but not recorded, for the shutdown of the gateway.
    func summaries(at instant: Timestamp) -> [RecordBody] {
        devices.withLock { devices in
            let counted = devices.sorted { $0.key < $1.key }.compactMap(\.value.counted)
            devices = [:]
            return counted.map { Self.summary($0, at: instant) }
        }
    }

    private static func summary(_ counted: (last: RecordBody, changes: Int), at instant: Timestamp) -> RecordBody {
        var record = counted.last
        record.details["changes"] = .integer(Int64(counted.changes))
        record.details["lastChangeAt"] = .string(record.at.description)
        record.at = max(record.at, instant)
        return record
    }
}
