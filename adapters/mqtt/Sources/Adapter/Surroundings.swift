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
    let codes = LockCodes()
}

/// The codes that are sent along with commands, by lock.
final class LockCodes: Sendable {
    private let codes = Mutex<[DeviceID: Secret<String>]>([:])

    subscript(id: DeviceID) -> Secret<String>? { codes.withLock { $0[id] } }
    func set(_ code: Secret<String>?, for id: DeviceID) { codes.withLock { $0[id] = code } }
}

/// Hands on what locks say while somebody listens.
final class Listener: Sendable {
    private let receiver = Mutex<(any ReportReceiver)?>(nil)

    func receive(_ report: LockReport) { receiver.withLock { $0 }?.receive(report) }
    func set(_ new: (any ReportReceiver)?) { receiver.withLock { $0 = new } }
}

/// What is counted over all brokers.
final class Counters: Sendable {
    /// Connections that ended or could not be made, and those that were cut so that nothing arrives late.
    let disconnects = Atomic(0)
    let cuts = Atomic(0)
    /// Frames that left, and those that a connection did not take.
    let orders = Atomic(0)
    let questions = Atomic(0)
    let refused = Atomic(0)
    /// Messages that came, those of them that were not looked at, and odd ones.
    let messages = Atomic(0)
    let dropped = Atomic(0)
    let odd = Atomic(0)
}
