import DequeModule
internal import DoorwardDomain
import Synchronization

/// The events of devices that wait to be written: a bounded number of each device, so that one that chatters holds up
/// and hides nobody else. What does not fit is counted, and said in the next event of the same device.
final class EventBacklog: Sendable {
    /// How many events of one device may wait.
    static let mostOfOneDevice = 64
    /// How many are written together.
    static let batch = 64

    fileprivate struct Line {
        var waiting: Deque<RecordBody> = []
        var waitingOf: [DeviceID: Int] = [:]
        var lostOf: [DeviceID: Int] = [:]
        var isFinished = false
        var sleeper: Promise<Void>?
    }

    private let line = Mutex(Line())

    var isFinished: Bool { line.withLock { $0.isFinished } }

    /// - Returns: false when the event did not fit and is only counted.
    @discardableResult
    func add(_ event: RecordBody, of device: DeviceID) -> Bool {
        let (isTaken, sleeper) = line.withLock { line -> (Bool, Promise<Void>?) in
            guard !line.isFinished, line.waitingOf[device, default: 0] < Self.mostOfOneDevice else {
                line.lostOf[device, default: 0] += 1
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
