internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import Logging
internal import Synchronization

/// What every lock and every broker of one adapter shares.
struct Surroundings: Sendable {
    let clock: any GatewayClock
    /// Where waiting happens; `nil` for the global one.
    let executor: (any TaskExecutor)?
    let logger: Logger
    let listener: Listener
    let counters: Counters
}

/// Hands on what locks say while somebody listens.
final class Listener: Sendable {
    private let receiver = Mutex<(any ReportReceiver)?>(nil)

    func receive(_ report: LockReport) { receiver.withLock { $0 }?.receive(report) }
    func set(_ new: (any ReportReceiver)?) { receiver.withLock { $0 = new } }
}

/// What is counted over all brokers.
final class Counters: Sendable {
    let orders = Atomic(0)
    let questions = Atomic(0)
    let dropped = Atomic(0)
    let odd = Atomic(0)
}
