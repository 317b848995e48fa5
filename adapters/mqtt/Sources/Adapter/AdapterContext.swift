internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import Logging
internal import Synchronization

/// Dependencies and state that all locks and brokers of one adapter share.
struct AdapterContext: Sendable {
    let clock: any GatewayClock
    /// Runs the timers; `nil` for the global executor.
    let executor: (any TaskExecutor)?
    let logger: Logger
    let reportForwarder: ReportForwarder
    let counters: Counters
    let codes = LockCodes()
}

/// The codes that are sent with commands, by lock.
final class LockCodes: Sendable {
    private let codes = Mutex<[DeviceID: Secret<String>]>([:])

    subscript(id: DeviceID) -> Secret<String>? { codes.withLock { $0[id] } }
    func set(_ code: Secret<String>?, for id: DeviceID) { codes.withLock { $0[id] = code } }
}

/// Passes the locks' reports to the receiver, if one is set.
final class ReportForwarder: Sendable {
    private let receiver = Mutex<(any ReportReceiver)?>(nil)

    func receive(_ report: LockReport) { receiver.withLock { $0 }?.receive(report) }
    func set(_ new: (any ReportReceiver)?) { receiver.withLock { $0 = new } }
}

/// Counters over all brokers.
final class Counters: Sendable {
    /// Established connections that ended.
    let disconnects = Atomic(0)
    /// Connections that the gateway reset, so that no message arrives late.
    let writeTimeouts = Atomic(0)
    /// Commands that were sent.
    let commandsPublished = Atomic(0)
    /// State requests that were sent.
    let stateRequestsPublished = Atomic(0)
    /// Messages that a connection rejected.
    let publishesFailed = Atomic(0)
    /// Messages that were received.
    let messagesReceived = Atomic(0)
    /// Received messages that were dropped.
    let messagesDropped = Atomic(0)
    /// Received messages that were malformed or unexpected.
    let malformedMessages = Atomic(0)
}
