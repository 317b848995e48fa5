internal import DoorwardAdapterKit
package import DoorwardDomain
import Synchronization

/// What the gateway keeps of each attached device while it runs: its condition, and its lane of commands.
///
/// Entries are found through one of many small tables, so that two devices seldom wait for the same lock.
package final class LiveDevices: Sendable {
    private final class Shard: Sendable {
        let devices = Mutex<[DeviceID: LiveDevice]>([:])
    }

    private let shards = (0..<64).map { _ in Shard() }
    /// The devices whose lane is not empty: those that a change of rights has to pass through.
    private let busy = Mutex<[DeviceID: LiveDevice]>([:])

    package init() {}

    /// The condition of a device; that of a lock never heard of, if it is not attached.
    package func status(of id: DeviceID) -> DeviceStatus { existing(id)?.status ?? DeviceStatus() }

    func existing(_ id: DeviceID) -> LiveDevice? { shard(of: id).devices.withLock { $0[id] } }

    func device(_ id: DeviceID) -> LiveDevice {
        shard(of: id).devices.withLock { devices in
            if let device = devices[id] { return device }
            let device = LiveDevice(id: id)
            devices[id] = device
            return device
        }
    }

    /// Forgets a device whose lane is empty.
    ///
    /// - Returns: false while it has a command.
    func forget(_ id: DeviceID) -> Bool {
        busy.withLock { busy in
            guard busy[id] == nil else { return false }
            shard(of: id).devices.withLock { $0[id] = nil }
            return true
        }
    }

    /// Takes a place in the device's lane; `nil` when it is full.
    func reserve(_ device: LiveDevice, for principal: Principal) -> QueuePlace? {
        guard let place = device.lane.reserve(for: principal) else { return nil }
        busy.withLock { $0[device.id] = device }
        return place
    }

    func leave(_ place: QueuePlace, of device: LiveDevice) {
        busy.withLock { busy in
            // Under the table's lock, so that a place reserved meanwhile is not taken out again.
            if device.lane.leave(place) { busy[device.id] = nil }
        }
    }

    /// Passes through the gate of every device that has a command: afterwards no order that was decided on an older
    /// directory can leave any more. A device whose lane is empty has no gate to wait for.
    func passGates() {
        for device in busy.withLock({ Array($0.values) }) { device.lane.passGate() }
    }

    /// How many commands wait for their turn, over all devices.
    var waitingCount: Int { busy.withLock { Array($0.values) }.reduce(0) { $0 + $1.lane.waitingCount } }

    /// Ends the waiting of every command that was not sent.
    func dismissWaiting() {
        for device in busy.withLock({ Array($0.values) }) { device.lane.dismissWaiting() }
    }

    /// Ends every order that still waits for its lock.
    func abandonOrders() {
        for device in busy.withLock({ Array($0.values) }) { device.lane.orderUnderWay?.ending.fulfil(.abandoned) }
    }

    private func shard(of id: DeviceID) -> Shard { shards[Int(truncatingIfNeeded: id.low & 63)] }
}

/// One attached device while the gateway runs.
final class LiveDevice: Sendable {
    private struct Condition {
        var status = DeviceStatus()
        /// How often the device has become another lock.
        var lockNumber = 0
        /// A command that was sent and ended without the lock's word; what the lock says next may be its late answer.
        var unanswered: UnansweredCommand?
    }

    let id: DeviceID
    let lane = DeviceLane()
    private let condition = Mutex(Condition())

    init(id: DeviceID) { self.id = id }

    var status: DeviceStatus { condition.withLock { $0.status } }

    func update<Value>(_ body: (inout DeviceStatus) -> sending Value) -> sending Value {
        condition.withLock { body(&$0.status) }
    }

    /// Which lock it is, of those that the device has been: a command is for one of them.
    var lockNumber: Int { condition.withLock { $0.lockNumber } }

    /// The device is another lock from now on, of which nothing is known. What waits for the one before is sent to neither; an
    /// order that was sent to it has no end that anybody knows.
    func becomeAnotherLock() {
        condition.withLock { $0 = Condition(lockNumber: $0.lockNumber + 1) }
        // Whoever was in the gate has handed over to the lock before; whoever comes sees that it is gone.
        lane.passGate()
        lane.orderUnderWay?.ending.fulfil(.replaced)
        // What was heard on the way was the lock before.
        condition.withLock { $0 = Condition(lockNumber: $0.lockNumber) }
    }

    /// Remembers a command that ended without its lock's word, while the device is still that lock.
    func remember(_ command: UnansweredCommand, of lockNumber: Int) {
        condition.withLock { if $0.lockNumber == lockNumber { $0.unanswered = command } }
    }

    /// The next word of the lock belongs to another order.
    func forgetUnanswered() { condition.withLock { $0.unanswered = nil } }

    /// Takes the command that a live `state` answers late, if there is one.
    func takeUnanswered(answeredBy state: LockState) -> UnansweredCommand? {
        condition.withLock { condition in
            guard let command = condition.unanswered, state.satisfies(command.operation) || state == .jammed else { return nil }
            condition.unanswered = nil
            return command
        }
    }
}

struct UnansweredCommand: Sendable {
    let id: CommandID
    let operation: LockOperation
    /// Where its intent stands: no other log names the command.
    let log: LogID
}
