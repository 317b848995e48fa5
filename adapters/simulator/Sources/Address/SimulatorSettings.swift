internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The settings of a simulated lock, as its address gives them. `AddressField.ofSimulator` has their descriptions and ranges.
struct SimulatorSettings: Hashable {
    var latency: Duration = .milliseconds(200)
    var jitterMs: Int64 = 0
    /// The seed of the lock's random generator; `nil` for the device's id.
    var seed: Int64?
    var capabilities = LockCapabilities.all
    /// `.locked` or `.unlocked`.
    var initialState = LockState.locked
    /// Time from unlocking until the lock locks itself; `nil` if it does not lock itself.
    var autoRelock: Duration?
    /// The allowed seconds of `autoRelock`; 0 for `nil`.
    static let autoRelockRange: ClosedRange<Int64> = 0...3600
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
    var lateConfirmation: Duration = .seconds(5)
    var disorderMs: Int64 = 5000
    var reportsNumbered = true
    var offlineMemory = 0
    var keypadSlots: [String] = []

    init() {}

    /// - Throws: every mistake of the address, sorted by field.
    init(address: [String: JSONValue]) throws(AddressErrors) {
        var reader = AddressReader(address)
        readMovement(&reader)
        readBattery(&reader)
        readFaults(&reader)
        try reader.finish()
    }

    mutating func setAutoRelock(seconds: Int) { autoRelock = seconds > 0 ? .seconds(seconds) : nil }

    private mutating func readMovement(_ reader: inout AddressReader) {
        latency = reader.milliseconds(.latency) ?? latency
        jitterMs = reader.integer(.jitter) ?? jitterMs
        seed = reader.integer(.seed)
        capabilities = reader.capabilities(.capabilities) ?? capabilities
        initialState = reader.state(.initialState) ?? initialState
        setAutoRelock(seconds: reader.integer(.autoRelock).map { Int($0) } ?? 0)
        keypadSlots = reader.names(.keypadSlots, maxCount: 32, maxLength: 64) ?? keypadSlots
    }

    private mutating func readBattery(_ reader: inout AddressReader) {
        batteryLevel = reader.integer(.batteryLevel).map { Int($0) } ?? batteryLevel
        lowBatteryLevel = reader.integer(.lowBattery).map { Int($0) } ?? lowBatteryLevel
        batteryPerMovement = reader.number(.batteryPerMovement) ?? batteryPerMovement
        batteryPerDay = reader.number(.batteryPerDay) ?? batteryPerDay
    }

    private mutating func readFaults(_ reader: inout AddressReader) {
        jamRate = reader.number(.jamRate) ?? jamRate
        refusalRate = reader.number(.refusalRate) ?? refusalRate
        lostConfirmationRate = reader.number(.lostRate) ?? lostConfirmationRate
        lateConfirmationRate = reader.number(.lateRate) ?? lateConfirmationRate
        lateConfirmation = reader.milliseconds(.late) ?? lateConfirmation
        wrongStateRate = reader.number(.wrongStateRate) ?? wrongStateRate
        duplicateRate = reader.number(.duplicateRate) ?? duplicateRate
        disorderRate = reader.number(.disorderRate) ?? disorderRate
        disorderMs = reader.integer(.disorder) ?? disorderMs
        reportsNumbered = reader.flag(.reportsNumbered) ?? reportsNumbered
        offlineMemory = reader.integer(.offlineMemory).map { Int($0) } ?? offlineMemory
    }
}
