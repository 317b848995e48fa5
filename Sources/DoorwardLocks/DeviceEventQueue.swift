import DequeModule
internal import DoorwardDomain
internal import DoorwardKernel
import Synchronization

/// The queue of device events to be written. It is bounded in total and for each device, so that a chattering device neither
/// delays nor displaces the events of other devices. Dropped events are counted; the device's next event contains their number.
final class DeviceEventQueue: Sendable {
    /// The maximum number of queued events of one device.
    static let maxPerDevice = 64
    /// The maximum number of queued events in total: about 16 MB.
    static let maxWaiting = 16_384
    /// The maximum number of events written in one transaction.
    static let batch = 64

    fileprivate struct State {
        var waiting: Deque<RecordBody> = []
        var waitingOf: [DeviceID: Int] = [:]
        var lostOf: [DeviceID: Int] = [:]
        /// Events dropped since the queue was last empty.
        var dropped = Dropped()
        var isFinished = false
    }

    /// Events dropped because the queue was full, and their devices.
    struct Dropped {
        var events = 0
        var devices: Set<DeviceID> = []
    }

    private let state = Mutex(State())
    /// Wakes the task that waits for events.
    private let changed = Signal()

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// - Returns: false if the queue was full and the event was only counted.
    @discardableResult
    func add(_ event: RecordBody, of device: DeviceID) -> Bool {
        let isTaken = state.withLock { state in
            let hasRoom = state.waitingOf[device, default: 0] < Self.maxPerDevice && state.waiting.count < Self.maxWaiting
            guard !state.isFinished, hasRoom else {
                state.lostOf[device, default: 0] += 1
                state.dropped.events += 1
                state.dropped.devices.insert(device)
                return false
            }
            var event = event
            if let lost = state.lostOf.removeValue(forKey: device) { event.details["eventsLost"] = .integer(Int64(lost)) }
            state.waiting.append(event)
            state.waitingOf[device, default: 0] += 1
            return true
        }
        if isTaken { changed.set() }
        return isTaken
    }

    /// Counts events that were taken from the queue but could not be written.
    func lose(_ events: [RecordBody]) {
        state.withLock { state in
            for event in events {
                guard let device = event.device?.deviceID else { continue }
                var lost = 1
                if case .integer(let before) = event.details["eventsLost"] { lost += Int(before) }
                state.lostOf[device, default: 0] += lost
            }
        }
    }

    /// The events dropped while the queue was full; `nil` if none were dropped, or while the queue is not empty.
    func takeDropped() -> Dropped? {
        state.withLock { state in
            guard state.waiting.isEmpty, state.dropped.events > 0 else { return nil }
            defer { state.dropped = Dropped() }
            return state.dropped
        }
    }

    /// Waits for events. Must be called by one task only.
    ///
    /// - Returns: the oldest queued events; `nil` once the queue is finished and empty, not on cancellation.
    func next() async -> [RecordBody]? {
        while true {
            let (events, isFinished) = state.withLock { ($0.take(), $0.isFinished) }
            if !events.isEmpty { return events }
            guard !isFinished else { return nil }
            await changed.wait()
        }
    }

    /// Accepts no further events.
    func finish() {
        state.withLock { $0.isFinished = true }
        changed.set()
    }
}

extension DeviceEventQueue.State {
    /// Removes and returns the oldest events.
    fileprivate mutating func take() -> [RecordBody] {
        let events = Array(waiting.prefix(DeviceEventQueue.batch))
        waiting.removeFirst(events.count)
        for device in events.compactMap({ $0.device?.deviceID }) {
            let rest = waitingOf[device, default: 1] - 1
            waitingOf[device] = rest > 0 ? rest : nil
        }
        return events
    }
}
