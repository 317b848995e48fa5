internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The settings of a simulated lock, as its address gives them. `SimulatorField` has their descriptions and ranges.
struct SimulatorSettings: Hashable {
    var latencyMs = 200
    var jitterMs = 0
    /// The seed of the lock's random generator; `nil` for the device's id.
    var seed: Int64?
    var capabilities = LockCapabilities.all
    /// `.locked` or `.unlocked`.
    var initialState = LockState.locked
    /// Seconds from unlocking until the lock locks itself; 0 if it does not lock itself.
    var autoRelockSeconds = 0
    var keypadSlots: [String] = []
    /// Percent, as are the other battery values.
    var batteryLevel = 100
    var lowBatteryLevel = 20
    var batteryPerMovement = 0.0
    var batteryPerDay = 0.0
    // Probabilities, 0 to 1.
    var jamRate = 0.0
    var refusalRate = 0.0
    var lostConfirmationRate = 0.0
    var lateConfirmationRate = 0.0
    var wrongStateRate = 0.0
    var duplicateRate = 0.0
    var disorderRate = 0.0
    var lateConfirmationMs = 5000
    var disorderMs = 5000
    var reportsNumbered = true
    var offlineMemory = 0

    /// The allowed seconds of `autoRelockSeconds`.
    static let autoRelockRange: ClosedRange<Int64> = 0...3600

    init() {}

    /// - Throws: every mistake of the address, sorted by field.
    init(address: [String: JSONValue]) throws(AddressErrors) {
        var problems = address.mapValues { _ in "unknown_key" }
        for key in SimulatorField.all {
            guard let value = address[key.field.name] else { continue }
            problems[key.field.name] = key.read(value, &self)
        }
        if !problems.isEmpty { throw AddressErrors(problems) }
    }
}
