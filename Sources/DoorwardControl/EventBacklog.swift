import DequeModule
internal import DoorwardDomain
import Synchronization

/// The queue of device events to be written, bounded for each device, so that a chattering device neither delays nor displaces
/// other devices' events, and in total. Dropped events are counted; the next event of the same device contains their number.
final class EventBacklog: Sendable {
    /// How many events of one device may wait.
    static let mostOfOneDevice = 64
    /// How many events of all devices together may wait: some 16 MB.
    static let maxWaiting = 16_384
    /// How many are written together.
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

    /// - Returns: false when the event did not fit and is only counted.
    @discardableResult
    func add(_ event: RecordBody, of device: DeviceID) -> Bool {
        let (isTaken, sleeper) = line.withLock { line -> (Bool, Promise<Void>?) in
            let hasRoom = line.waitingOf[device, default: 0] < Self.mostOfOneDevice && line.waiting.count < Self.maxWaiting
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

    /// Counts events that were taken and not written.
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

    /// The events dropped while the queue was full; `nil` if none were dropped, and until the queue is empty again.
    func takeDropped() -> Dropped? {
        line.withLock { line in
            guard line.waiting.isEmpty, line.dropped.events > 0 else { return nil }
            defer { line.dropped = Dropped() }
            return line.dropped
        }
    }

    /// Waits for events. One task asks.
    ///
    /// - Returns: the oldest that wait; `nil` when the line is finished and empty.
    func next() async -> [RecordBody]? {
        while true {
            let (events, sleeper) = line.withLock { line in line.take() }
            if !events.isEmpty { return events }
            guard let sleeper else { return nil }
            await sleeper.value
        }
    }

    /// Takes no further events.
    func finish() {
        let sleeper = line.withLock { line in
            line.isFinished = true
            return line.sleeper
        }
        sleeper?.fulfil(())
    }
}

extension EventBacklog.Line {
    /// The oldest events, or what to wait on; neither when the line is finished and empty.
    fileprivate mutating func take() -> ([RecordBody], Promise<Void>?) {
        sleeper = nil
        let events = Array(waiting.prefix(EventBacklog.batch))
        waiting.removeFirst(events.count)
        for device in events.compactMap({ $0.device?.deviceID }) {
            let rest = waitingOf[device, default: 1] - 1
            waitingOf[device] = rest > 0 ? rest : nil
        }
        if events.isEmpty, !isFinished { sleeper = Promise() }
        return (events, sleeper)
    }
}
