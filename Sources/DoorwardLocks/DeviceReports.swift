package import DoorwardAdapterKit
internal import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
internal import Logging
internal import Metrics
import Synchronization

/// Receives the reports of locks: updates the device status, ends the command that a report confirms or rejects, and records the
/// events that no command has caused.
package final class DeviceReports: ReportReceiver {
    private let kernel: Kernel
    private let devices: DeviceRuntimes
    private let eventQueue = DeviceEventQueue()
    private let availability = AvailabilityRateLimit()
    /// One timer for each device whose availability changes are being counted.
    private let timers = Mutex<[DeviceID: Task<Void, Never>]>([:])
    private let metrics: ReportMetrics

    /// Writes nothing before `run`.
    package init(_ kernel: Kernel, devices: DeviceRuntimes) {
        (self.kernel, self.devices, metrics) = (kernel, devices, ReportMetrics(kernel.metrics))
    }

    /// Updates the device's status, and queues a record of each event that no command in flight has caused. Never waits for the
    /// disk.
    package func receive(_ report: LockReport) {
        metrics.received.increment()
        guard let runtime = devices.existing(report.deviceID) else { return metrics.ofUnknownDevice.increment() }
        let now = kernel.clock.now()
        let inFlight = runtime.queue.inFlightCommand
        let (before, isAnswer) = runtime.update { status in
            let before = status
            status.take(report.fact, at: now)
            let isAnswer = inFlight?.ends(report) ?? false
            if isAnswer, inFlight?.command.operation.isMovement == true, case .refusal(let cause) = report.fact,
                cause.leavesDoubt(of: status.state)
            {
                status.markStateStale()
            }
            return (before, isAnswer)
        }
        if isAnswer { return }
        // The lock has been given other settings than the stored ones: by a command that it confirms too late, or by hand.
        if case .settings(let settings) = report.fact, settings != kernel.directory.current.device(runtime.id)?.settings {
            runtime.areSettingsConfirmed = false
        }
        let late = runtime.claimLateConfirmation(by: report.fact, at: kernel.clock.monotonicNow())
        // A late confirmation of a command is recorded even if it does not change the known state.
        guard
            let event = (report.isRepeat ? nil : before.event(for: report.fact))
                ?? late.flatMap({ _ in report.fact.confirmedState.flatMap(RecordEvent.init) })
        else { return }
        write(event, report, answering: late, at: now)
    }

    /// Writes queued events, in batches of one transaction each, until `finish` is called and the queue is empty.
    package func run() async {
        while let events = await eventQueue.next() {
            if await !write(events) {
                kernel.logger.error("device events could not be recorded", metadata: ["count": "\(events.count)"])
                metrics.notWritten.increment(by: events.count)
                eventQueue.lose(events)
            }
            if let dropped = eventQueue.takeDropped() {
                kernel.logger.error(
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
        for summary in availability.summaries(at: kernel.clock.now()) { enqueue(summary) }
        eventQueue.finish()
    }

    /// Retries until the store can write again or the gateway stops.
    ///
    /// - Returns: false if the events are lost.
    private func write(_ events: [RecordBody]) async -> Bool {
        var wait = Duration.milliseconds(200)
        while true {
            do {
                try await kernel.storeGuard.write(StoreTransaction(records: events.map { PendingRecord($0) }))
                return true
            } catch .unavailable where !eventQueue.isFinished {
                guard await kernel.clock.pause(wait) else { return false }
                wait = min(wait * 2, .seconds(10))
            } catch {
                return false
            }
        }
    }

    private func write(_ event: RecordEvent, _ report: LockReport, answering late: UnconfirmedCommand?, at now: Timestamp) {
        guard let device = kernel.directory.current.device(report.deviceID) else { return }
        let snapshot = DeviceSnapshot(device)
        let body = RecordBody(
            log: snapshot.log, id: kernel.random.id(at: now), at: now, kind: .deviceEvent,
            actor: RecordActor(kind: .device, id: device.id.description, name: report.fact.cause.operatorName), source: .device,
            device: snapshot,
            commandID: late.flatMap { $0.log == snapshot.log ? $0.id : nil } ?? lateCommand(in: report, snapshot.log),
            stateAfter: report.fact.confirmedState,
            event: event,
            method: report.fact.cause.method)
        guard event == .online || event == .offline else { return enqueue(body) }
        let admission = availability.admit(body, of: device.id, at: kernel.clock.monotonicNow())
        for record in admission.records { enqueue(record) }
        if let due = admission.summaryDue { writeSummary(of: device.id, at: due) }
    }

    private func enqueue(_ event: RecordBody) {
        guard let device = event.device?.deviceID else { return }
        if !eventQueue.add(event, of: device) { metrics.ofFullQueue.increment() }
    }

    /// Records, at `due`, the summary of a device's counted availability changes.
    private func writeSummary(of device: DeviceID, at due: MonotonicInstant) {
        let timer = Task(executorPreference: kernel.executor) { [self] in
            guard (try? await kernel.clock.sleep(until: due)) != nil else { return }
            // Hold the mutex under which `finish` cancels the timers: either this task queues the
            // summary before the queue is closed, or `finish` queues it.
            timers.withLock { timers in
                guard !Task.isCancelled else { return }
                timers[device] = nil
                if let summary = availability.summary(of: device, at: kernel.clock.monotonicNow(), kernel.clock.now()) {
                    enqueue(summary)
                }
            }
        }
        timers.withLock { $0[device] = timer }
    }

    /// The command that was delivered late, if its intent is recorded in `log`; other logs must not name the command.
    private func lateCommand(in report: LockReport, _ log: LogID) -> CommandID? {
        guard case .deliveredLate(let command) = report.fact else { return nil }
        return devices.existing(report.deviceID)?.logOfSent(command) == log ? command : nil
    }
}

extension DeviceStatus {
    /// The event to record for a report that came in this status and did not end a command in flight; `nil` if it requires no record.
    fileprivate func event(for fact: LockReport.Fact) -> RecordEvent? {
        switch fact {
        case .state(let new, .confirmed, _, _): stateAt != nil && new != state ? RecordEvent(new) : nil
        case .door(.open) where doorState == .closed: .doorOpened
        case .door(.closed) where doorState == .open: .doorClosed
        case .battery(_, low: true) where batteryLow != true: .batteryLow
        case .availability(true) where isOnline == false: .online
        case .availability(false) where isOnline != false: .offline
        case .event(let event, _, _): event
        case .deliveredLate: .commandDeliveredLate
        case .state, .door, .battery, .availability, .refusal, .faults, .settings, .product: nil
        }
    }

    fileprivate mutating func take(_ fact: LockReport.Fact, at now: Timestamp) {
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
    }

    private static let jammed = "jammed"

    private mutating func note(faults words: Set<String>, isJammed: Bool) {
        faults = (isJammed ? [Self.jammed] : []) + words.sorted()
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

    /// The method and the person that the report names.
    fileprivate var cause: (method: EventMethod?, operatorName: String?) {
        switch self {
        case .state(_, _, let method, let name), .event(_, let method, let name): (method, name)
        case .door, .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: (nil, nil)
        }
    }

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

    private let devices = Mutex<[DeviceID: Device]>([:])

    /// Decides how to record a change of a device's availability.
    ///
    /// - Returns: the records to write now, and when to call `summary` if this change is the first that was only counted.
    func admit(
        _ change: RecordBody, of id: DeviceID, at now: MonotonicInstant
    ) -> (records: [RecordBody], summaryDue: MonotonicInstant?) {
        devices.withLock { devices in
            var (records, summaryDue): ([RecordBody], MonotonicInstant?) = ([], nil)
            let new = Device(windowEnd: now.advanced(by: Self.window), left: Self.burst)
            var known = devices[id] ?? new
            if let counted = known.counted, counted.last.log != change.log {
                // The device has moved to another portfolio; the new log does not cover the time before the move.
                records.append(Self.summary(counted, at: change.at))
                known = new
            } else if known.counted == nil, now >= known.windowEnd {
                known = new
            }
            if let counted = known.counted {
                known.counted = (change, counted.changes + 1)
            } else if known.left > 0 {
                known.left -= 1
                records.append(change)
            } else {
                known.counted = (change, 1)
                summaryDue = known.windowEnd
            }
            devices[id] = known
            return (records, summaryDue)
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
