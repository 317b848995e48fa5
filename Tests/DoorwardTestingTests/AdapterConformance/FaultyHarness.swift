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

    func set(_ manner: LockBehavior, of lock: DeviceID) { faulty.set(manner, of: lock) }

    func happen(_ event: LockStimulus, at lock: DeviceID) -> Bool {
        faulty.happen(event, at: lock)
        return true
    }

    var detectsDuplicates: Bool { true }

    var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        let names = FaultyAddress.ways.keys.sorted()
        return (
            names.compactMap { name in
                FaultyAddress.ways[name].map { (["door": .integer(1), "way": .string(name)], $0) }
            }, ["door": .integer(1), "way": .string("none")]
        )
    }

    func setTransport(isAway: Bool) -> Bool {
        faulty.setTransport(isAway: isAway)
        return true
    }

    func announce(_ number: Int, isThere: Bool) -> Bool {
        faulty.announce(number, isThere: isThere)
        return true
    }

    func orders(at lock: DeviceID) -> [LockOperation]? { faulty.orders(at: lock) }
}
