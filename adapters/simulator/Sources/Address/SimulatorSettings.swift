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
        latency = reader.milliseconds(.latency) ?? latency
        jitterMs = reader.integer(.jitter) ?? jitterMs
        seed = reader.integer(.seed)
        capabilities = reader.capabilities(.capabilities) ?? capabilities
        initialState = reader.state(.initialState) ?? initialState
        setAutoRelock(seconds: reader.integer(.autoRelock).map { Int($0) } ?? 0)
        keypadSlots = reader.names(.keypadSlots, maxCount: 32, maxLength: 64) ?? keypadSlots
        batteryLevel = reader.integer(.batteryLevel).map { Int($0) } ?? batteryLevel
        lowBatteryLevel = reader.integer(.lowBattery).map { Int($0) } ?? lowBatteryLevel
        batteryPerMovement = reader.number(.batteryPerMovement) ?? batteryPerMovement
        batteryPerDay = reader.number(.batteryPerDay) ?? batteryPerDay
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
        try reader.finish()
    }

    mutating func setAutoRelock(seconds: Int) { autoRelock = seconds > 0 ? .seconds(seconds) : nil }
}

/// Reads the keys of an address one by one, and collects the errors.
struct AddressReader {
    private var rest: [String: JSONValue]
    private var errors: [AddressErrors.Mistake] = []

    init(_ address: [String: JSONValue]) { rest = address }

    /// Throws all errors, including unknown keys.
    func finish() throws(AddressErrors) {
        let unknown = rest.keys.map { AddressErrors.Mistake(field: "address.\($0)", problem: "unknown_key") }
        let all = (errors + unknown).sorted { $0.field < $1.field }
        if !all.isEmpty { throw AddressErrors(all) }
    }

    // Each function below returns `nil` if the key is absent, or if its value is invalid and was recorded as a mistake.

    mutating func integer(_ field: AddressField) -> Int64? {
        if case .integer(let number)? = takeValid(field) { number } else { nil }
    }

    mutating func milliseconds(_ field: AddressField) -> Duration? { integer(field).map { .milliseconds($0) } }

    mutating func number(_ field: AddressField) -> Double? {
        switch takeValid(field) {
        case .integer(let number)?: Double(number)
        case .number(let number)?: number
        default: nil
        }
    }

    mutating func flag(_ field: AddressField) -> Bool? {
        if case .bool(let flag)? = takeValid(field) { flag } else { nil }
    }

    mutating func state(_ field: AddressField) -> LockState? {
        guard case .word(let allowed) = field.form, let value = take(field) else { return nil }
        guard case .string(let name) = value else { return reject(field, "wrong_type") }
        guard allowed.contains(name), let state = LockState(rawValue: name) else { return reject(field, "unknown_value") }
        return state
    }

    mutating func capabilities(_ field: AddressField) -> LockCapabilities? {
        guard let value = take(field) else { return nil }
        guard case .array(let items) = value else { return reject(field, "wrong_type") }
        let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
        guard names.count == items.count else { return reject(field, "wrong_type") }
        return LockCapabilities(names: names) ?? reject(field, "unknown_capability")
    }

    /// Reads unique names separated by commas; spaces beside the commas are ignored.
    mutating func names(_ field: AddressField, maxCount: Int, maxLength: Int) -> [String]? {
        guard let value = take(field) else { return nil }
        guard case .string(let text) = value else { return reject(field, "wrong_type") }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let fits =
            names.count <= maxCount && Set(names).count == names.count && names.allSatisfy { (1...maxLength).contains($0.count) }
        return fits ? names : reject(field, "out_of_range")
    }

    /// Takes a value that the form of the field allows.
    private mutating func takeValid(_ field: AddressField) -> JSONValue? {
        guard let value = take(field) else { return nil }
        if let problem = field.form.problem(of: value) { return reject(field, problem) }
        return value
    }

    private mutating func take(_ field: AddressField) -> JSONValue? { rest.removeValue(forKey: field.name) }

    private mutating func reject<Value>(_ field: AddressField, _ problem: String) -> Value? {
        errors.append(AddressErrors.Mistake(field: "address.\(field.name)", problem: problem))
        return nil
    }
}
