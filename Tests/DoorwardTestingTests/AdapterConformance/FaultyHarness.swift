import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

/// The harness that checks a `FaultyAdapter`.
struct FaultyHarness: AdapterHarness {
    let clock: VirtualClock
    private let faulty: FaultyAdapter

    init(_ fault: AdapterFault?, clock: VirtualClock, executor: SeededExecutor) {
        (self.clock, faulty) = (clock, FaultyAdapter(fault, clock: clock, executor: executor))
    }

    var adapter: any LockAdapter { faulty }
    var capabilities: LockCapabilities { .all }

    func address(of number: Int) -> [String: JSONValue] { ["door": .integer(Int64(number))] }

    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? {
        (["door": .integer(1), "mode": .string("limited")], [.lock, .unlock])
    }

    func set(_ behavior: LockBehavior, of lock: DeviceID) { faulty.set(behavior, of: lock) }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) -> Bool {
        faulty.trigger(stimulus, at: lock)
        return true
    }

    var detectsDuplicates: Bool { true }

    var transportAddresses: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        let names = FaultyAddress.transports.keys.sorted()
        return (
            names.compactMap { name in
                FaultyAddress.transports[name].map { (["door": .integer(1), "way": .string(name)], $0) }
            }, ["door": .integer(1), "way": .string("none")]
        )
    }

    func setTransport(isConnected: Bool) -> Bool {
        faulty.setTransport(isConnected: isConnected)
        return true
    }

    func announce(_ number: Int, isPresent: Bool) -> Bool {
        faulty.announce(number, isPresent: isPresent)
        return true
    }

    func receivedCommands(at lock: DeviceID) -> [LockOperation]? { faulty.receivedCommands(at: lock) }
}
