import BenchmarkSupport
import DoorwardClient

/// Measures how many permission checks a client answers per second on one core, without a request.
@main struct ClientBenchmark {
    static func main() {
        Machine().report()
        let ability = Doorward.Ability(rules)
        let devices = (0..<1000).map { number -> Doorward.LockDevice in
            var device = Doorward.LockDevice(id: "device-\(number)", name: "Door \(number)")
            (device.propertyId, device.unitId) = ("property-\(number % 20)", "unit-\(number % 100)")
            (device.isRemoteOperationEnabled, device.capabilities) = (true, ["LOCK", "UNLOCK", "UNLATCH"])
            return device
        }
        for (name, action) in [("unlock", Doorward.Action.unlock), ("a right that nobody has", .deviceDetach)] {
            measure("permission checks, \(name)", ability, action, devices)
        }
    }

    /// The rules of a person who manages ten properties, lives in a unit, and is a guest at twenty locks, with a lockdown.
    private static var rules: [Doorward.AbilityRule] {
        let device = ["LockDevice"]
        let managed = (0..<10).map {
            Doorward.AbilityRule(
                action: ["LOCK", "UNLOCK", "UNLATCH", "VIEW_STATUS", "device.change"], subject: device,
                conditions: ["propertyId": .string("property-\($0)")])
        }
        let ids = (500..<520).map { Doorward.JSONValue.string("device-\($0)") }
        let one = Doorward.JSONValue.object(["$nin": .array([.string("UNLOCK")])])
        return managed + [
            Doorward.AbilityRule(action: ["LOCK", "UNLOCK"], subject: device, conditions: ["unitId": .string("unit-7")]),
            Doorward.AbilityRule(action: ["UNLOCK"], subject: device, conditions: ["id": .object(["$in": .array(ids)])]),
            Doorward.AbilityRule(
                action: ["UNLOCK", "UNLATCH"], subject: device, conditions: ["propertyId": .string("property-3")], inverted: true,
                reason: .lockdownActive),
            Doorward.AbilityRule(
                action: ["UNLOCK"], subject: device, conditions: ["capabilities": one], inverted: true, reason: .capabilityMissing
            ),
        ]
    }

    private static func measure(
        _ name: String, _ ability: Doorward.Ability, _ action: Doorward.Action, _ devices: [Doorward.LockDevice]
    ) {
        let rounds = 1000
        var allowed = 0
        let stopwatch = Stopwatch()
        for _ in 0..<rounds { for device in devices where ability.can(action, device) { allowed += 1 } }
        let (wall, cpu) = (stopwatch.wall, stopwatch.cpu)
        let checks = Double(rounds * devices.count)
        Figure(
            "client", name, checks / Double(wall) * 1e9, "1/s", goal: 1_000_000, cpu: checks / Double(cpu) * 1e9,
            note: "\(allowed / rounds) of \(devices.count) locks allowed"
        ).report()
    }
}
