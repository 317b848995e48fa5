internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import Logging
internal import Synchronization

/// Dependencies and state that all locks and brokers of one adapter share.
final class AdapterContext: Sendable {
    let clock: any GatewayClock
    /// Runs the timers; `nil` for the global executor.
    let executor: (any TaskExecutor)?
    let logger: Logger
    /// Receives the locks' reports; `nil` while they are discarded.
    let receiver = Mutex<(any ReportReceiver)?>(nil)
    /// The codes that are sent with commands, by lock.
    let codes = Mutex<[DeviceID: Secret<String>]>([:])
    private let counters = Mutex<[AdapterCounter: Int]>([:])

    init(clock: any GatewayClock, executor: (any TaskExecutor)?, logger: Logger) {
        (self.clock, self.executor, self.logger) = (clock, executor, logger)
    }

    func count(_ counter: AdapterCounter, by number: Int = 1) { counters.withLock { $0[counter, default: 0] += number } }

    /// The counters by their names in the metrics.
    var counts: [String: Int] {
        let counters = counters.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: AdapterCounter.allCases.map { ($0.rawValue, counters[$0] ?? 0) })
    }
}

/// What is counted over all brokers. Raw values are the names in the metrics.
enum AdapterCounter: String, CaseIterable {
    /// Established connections that ended.
    case disconnects
    /// Connections that the gateway reset, so that no message arrives late.
    case writeTimeouts = "connections_cut"
    /// Commands that were sent.
    case commandsPublished = "orders"
    /// State requests that were sent.
    case stateRequestsPublished = "questions"
    /// Messages that a connection rejected.
    case publishesFailed = "frames_refused"
    /// All messages that were received.
    case messagesReceived = "messages"
    /// Received messages that were dropped because they were too long or too many.
    case messagesDropped = "messages_dropped"
    /// Received messages that were malformed or unexpected.
    case malformedMessages = "messages_odd"
}
