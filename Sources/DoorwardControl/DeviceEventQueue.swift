import DequeModule
internal import DoorwardDomain
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

    fileprivate struct Line {
        var waiting: Deque<RecordBody> = []
        var waitingOf: [DeviceID: Int] = [:]
        var lostOf: [DeviceID: Int] = [:]
        /// Events dropped since the queue was last empty.
        var dropped = Dropped()
        var isFinished = false
        var sleeper: Promise<Void>?
    }

    /// Events dropped because the queue was full, and their devices.
    struct Dropped {
        var events = 0
        var devices: Set<DeviceID> = []
    }

    private let line = Mutex(Line())

    var isFinished: Bool { line.withLock { $0.isFinished } }

    /// - Returns: false if the queue was full and the event was only counted.
    @discardableResult
    func add(_ event: RecordBody, of device: DeviceID) -> Bool {
        let (isTaken, sleeper) = line.withLock { line -> (Bool, Promise<Void>?) in
            let hasRoom = line.waitingOf[device, default: 0] < Self.maxPerDevice && line.waiting.count < Self.maxWaiting
            guard !line.isFinished, hasRoom else {
                line.lostOf[device, default: 0] += 1
                line.dropped.events += 1
                line.dropped.devices.insert(device)
                return (false, nil)
            }
            var event = event
            if let lost = line.lostOf.removeValue(forKey: device) { event.details["eventsLost"] = .integer(Int64(lost)) }
            line.waiting.append(event)
            line.waitingOf[device, default: 0] += 1
            return (true, line.sleeper)
        }
        sleeper?.fulfil(())
        return isTaken
    }

    /// Counts events that were taken from the queue but could not be written.
    func lose(_ events: [RecordBody]) {
        line.withLock { line in
            for event in events {
                guard let device = event.device?.deviceID else { continue }
                var lost = 1
                if case .integer(let before) = event.details["eventsLost"] { lost += Int(before) }
                line.lostOf[device, default: 0] += lost
            }
        }
    }

    /// The events dropped while the queue was full; `nil` if none were dropped, or while the queue is not empty.
    func takeDropped() -> Dropped? {
        line.withLock { line in
            guard line.waiting.isEmpty, line.dropped.events > 0 else { return nil }
            defer { line.dropped = Dropped() }
            return line.dropped
        }
    }

    /// Waits for events. Must be called by one task only.
    ///
    /// - Returns: the oldest queued events; `nil` once the queue is finished and empty.
    func next() async -> [RecordBody]? {
        while true {
            let (events, sleeper) = line.withLock { line in line.take() }
            if !events.isEmpty { return events }
            guard let sleeper else { return nil }
            await sleeper.value
        }
    }

    /// Accepts no further events.
    func finish() {
        let sleeper = line.withLock { line in
            line.isFinished = true
            return line.sleeper
        }
        sleeper?.fulfil(())
    }
}

extension DeviceEventQueue.Line {
    /// Returns the oldest events. If there are none, returns a promise to wait for, unless the queue is finished.
    fileprivate mutating func take() -> ([RecordBody], Promise<Void>?) {
        sleeper = nil
        let events = Array(waiting.prefix(DeviceEventQueue.batch))
        waiting.removeFirst(events.count)
        for device in events.compactMap({ $0.device?.deviceID }) {
            let rest = waitingOf[device, default: 1] - 1
            waitingOf[device] = rest > 0 ? rest : nil
        }
        if events.isEmpty, !isFinished { sleeper = Promise() }
        return (events, sleeper)
    }
}
