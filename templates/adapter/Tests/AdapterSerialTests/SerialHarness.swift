import AdapterSerial
import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain

/// A `SerialAdapter` under test; the simulated controller controls its locks.
struct SerialHarness: AdapterHarness {
    let clock: VirtualClock
    let controller: SimulatedController
    private let serial: SerialAdapter

    init(clock: VirtualClock, executor: SeededExecutor) {
        self.clock = clock
        controller = SimulatedController(clock: clock, executor: executor)
        serial = SerialAdapter(stream: controller, clock: clock, executor: executor)
    }

    var adapter: any LockAdapter { serial }
    var capabilities: LockCapabilities { [.lock, .unlock, .unlatch, .jam, .battery, .refresh] }
    var detectsDuplicates: Bool { true }

    func address(of number: Int) -> [String: JSONValue] { ["lock": .integer(Int64(number + 1)), "latch": .bool(true)] }

    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? {
        (["lock": .integer(1)], capabilities.subtracting(.unlatch))
    }

    func set(_ behavior: LockBehavior, of lock: DeviceID) { controller.set(behavior, of: busNumber(lock)) }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) -> Bool {
        let number = busNumber(lock)
        switch stimulus {
        case .stateReport: controller.sendReport(number)
        case .manualTurn: controller.turn(number)
        case .retainedReport: return false
        case .malformedInput:
            controller.send("STATE \(number)", "OK \(number) 1 OPEN", "LOCKED", "BATTERY \(number) 101", "\u{1F510}")
        case .faultRaised: controller.send("TAMPER \(number) ON")
        case .faultCleared: controller.send("TAMPER \(number) OFF")
        }
        return true
    }

    func receivedCommands(at lock: DeviceID) -> [LockOperation]? { controller.receivedCommands(at: busNumber(lock)) }

    func setTransport(isConnected: Bool) -> Bool {
        controller.setConnected(isConnected)
        return true
    }

    private func busNumber(_ lock: DeviceID) -> Int { AdapterConformance.number(of: lock) + 1 }
}
