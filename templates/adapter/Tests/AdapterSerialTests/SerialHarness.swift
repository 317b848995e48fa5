import AdapterSerial
import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain

/// A `SerialAdapter` under test; the simulated controller controls its locks.
struct SerialHarness: AdapterHarness {
    let clock: VirtualClock
    let controller: PlayedController
    private let serial: SerialAdapter

    init(clock: VirtualClock, executor: SeededExecutor) {
        self.clock = clock
        controller = PlayedController(clock: clock, executor: executor)
        serial = SerialAdapter(stream: controller, clock: clock, executor: executor)
    }

    var adapter: any LockAdapter { serial }
    var capabilities: LockCapabilities { [.lock, .unlock, .unlatch, .jam, .battery, .refresh] }
    var detectsDuplicates: Bool { true }

    func address(of number: Int) -> [String: JSONValue] { ["lock": .integer(Int64(number + 1)), "latch": .bool(true)] }

    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? {
        (["lock": .integer(1)], capabilities.subtracting(.unlatch))
    }

    func set(_ manner: LockBehavior, of lock: DeviceID) { controller.set(manner, of: busNumber(lock)) }

    func happen(_ event: LockStimulus, at lock: DeviceID) -> Bool {
        let number = busNumber(lock)
        switch event {
        case .speaks: controller.speak(number)
        case .turnedByHand: controller.turn(number)
        case .repeatedFromBefore: return false
        case .rubbish: controller.say("STATE \(number)", "OK \(number) 1 OPEN", "LOCKED", "BATTERY \(number) 101", "\u{1F510}")
        case .tampered: controller.say("TAMPER \(number) ON")
        case .calmed: controller.say("TAMPER \(number) OFF")
        }
        return true
    }

    func orders(at lock: DeviceID) -> [LockOperation]? { controller.orders(at: busNumber(lock)) }

    func setTransport(isAway: Bool) -> Bool {
        controller.setCut(isAway)
        return true
    }

    private func busNumber(_ lock: DeviceID) -> Int { AdapterConformance.number(of: lock) + 1 }
}
