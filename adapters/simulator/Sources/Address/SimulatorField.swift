package import DoorwardAdapterKit
internal import DoorwardDomain

/// One key of a simulated lock's address: its description, and the setting that it sets. A test compares the keys with the README
/// and the defaults.
struct SimulatorField: Sendable {
    let field: AddressField
    /// Stores a value of the key in the settings, or returns the problem of the value.
    let read: @Sendable (JSONValue, inout SimulatorSettings) -> String?

    typealias Setting<Value> = any WritableKeyPath<SimulatorSettings, Value> & Sendable

    /// A key with a reader of its own.
    private init(
        _ name: String, _ form: AddressField.Form, default defaultValue: JSONValue? = nil, _ description: String,
        read: @escaping @Sendable (JSONValue, inout SimulatorSettings) -> String?
    ) {
        field = AddressField(name, form, default: defaultValue, description: description)
        self.read = read
    }

    /// A key whose values are all those of its form.
    private static func value(
        _ name: String, _ form: AddressField.Form, default defaultValue: JSONValue? = nil, _ description: String,
        store: @escaping @Sendable (JSONValue, inout SimulatorSettings) -> Void
    ) -> SimulatorField {
        SimulatorField(name, form, default: defaultValue, description) { value, settings in
            let problem = form.problem(of: value)
            if problem == nil { store(value, &settings) }
            return problem
        }
    }

    private static func integer(
        _ name: String, _ setting: Setting<Int>, _ range: ClosedRange<Int64>, _ description: String
    ) -> SimulatorField {
        let standard = SimulatorSettings()[keyPath: setting]
        return value(name, .integer(range), default: .integer(Int64(standard)), description) { value, settings in
            if case .integer(let number) = value { settings[keyPath: setting] = Int(number) }
        }
    }

    /// A number of 0 by default.
    private static func number(
        _ name: String, _ setting: Setting<Double>, _ description: String, in range: ClosedRange<Double> = 0...1
    ) -> SimulatorField {
        value(name, .number(range), default: .integer(0), description) { value, settings in
            switch value {
            case .integer(let number): settings[keyPath: setting] = Double(number)
            case .number(let number): settings[keyPath: setting] = number
            case .null, .bool, .string, .array, .object: break
            }
        }
    }

    /// All keys, in the order of the documentation.
    static let all: [SimulatorField] = [
        .integer(
            "latencyMs", \.latencyMs, 0...60_000,
            "Milliseconds from a command to the end of the movement; 0 moves the bolt and confirms at once."),
        .integer(
            "jitterMs", \.jitterMs, 0...60_000,
            "Maximum of the random time, in milliseconds, that is added to latencyMs for each movement."),
        .value(
            "seed", .integer(.min ... .max), "Seed of this lock's random numbers. Default: derived from the device's id."
        ) { value, settings in
            if case .integer(let seed) = value { settings.seed = seed }
        },
        SimulatorField(
            "capabilities", .words(LockCapabilities.all.names), default: .array(LockCapabilities.all.names.map { .string($0) }),
            "The capabilities of the lock.", read: readCapabilities),
        .value(
            "initialState", .word([LockState.locked, .unlocked].map(\.rawValue)), default: .string(LockState.locked.rawValue),
            "State of the bolt when the lock is attached."
        ) { value, settings in
            if case .string(let state) = value { settings.initialState = LockState(rawValue: state) ?? .locked }
        },
        .integer(
            "autoRelockSeconds", \.autoRelockSeconds, SimulatorSettings.autoRelockRange,
            "Seconds after an unlock, or after the door was closed, until the lock locks itself; 0 for never."),
        SimulatorField(
            "keypadSlots", .text,
            "Slots of the keypad: at most 32 names of 1 to 64 characters, separated by commas. Without them no keypad.",
            read: readKeypadSlots),
        .integer(
            "batteryLevel", \.batteryLevel, 0...100, "Percent at the start, and again after clear; at 0 the lock is offline."),
        .integer(
            "lowBatteryLevel", \.lowBatteryLevel, 0...90,
            "Percent at and below which the lock reports a low battery; the warning ends 5 above it."),
        .number("batteryPerMovement", \.batteryPerMovement, "Percent that one movement of the motor uses.", in: 0...100),
        .number("batteryPerDay", \.batteryPerDay, "Percent that the lock uses in 24 hours.", in: 0...100),
        .number("jamRate", \.jamRate, "Probability that a movement jams; the next movement is not affected."),
        .number("refusalRate", \.refusalRate, "Probability that the lock refuses a command (cause other) and does not move."),
        .number(
            "lostConfirmationRate", \.lostConfirmationRate,
            "Probability that the bolt moves and the lock does not report it."),
        .number(
            "lateConfirmationRate", \.lateConfirmationRate,
            "Probability that the lock reports a movement lateConfirmationMs late."),
        .integer(
            "lateConfirmationMs", \.lateConfirmationMs, 0...600_000,
            "Milliseconds from the end of a movement to its late confirmation."),
        .number(
            "wrongStateRate", \.wrongStateRate,
            "Probability that the lock reports the opposite of the state that a movement led to."),
        .number("duplicateRate", \.duplicateRate, "Probability that a report arrives twice."),
        .number("disorderRate", \.disorderRate, "Probability that a report is delayed, so that later ones overtake it."),
        .integer(
            "disorderMs", \.disorderMs, 0...600_000,
            "Maximum random delay of a delayed report or of a duplicate, in milliseconds."),
        .value(
            "reportsNumbered", .boolean, default: .bool(true),
            "Whether reports have sequence numbers, by which the gateway recognizes old ones."
        ) { value, settings in settings.reportsNumbered = value == .bool(true) },
        .integer(
            "offlineMemory", \.offlineMemory, 0...1000,
            "Number of events that the lock stores while offline and reports afterwards; the newest are kept."),
    ]

    @Sendable private static func readCapabilities(_ value: JSONValue, _ settings: inout SimulatorSettings) -> String? {
        guard case .array(let items) = value else { return "wrong_type" }
        let names = items.compactMap { if case .string(let name) = $0 { name } else { nil } }
        guard names.count == items.count else { return "wrong_type" }
        guard let capabilities = LockCapabilities(names: names) else { return "unknown_capability" }
        settings.capabilities = capabilities
        return nil
    }

    /// Reads unique names separated by commas; spaces beside the commas are ignored.
    @Sendable private static func readKeypadSlots(_ value: JSONValue, _ settings: inout SimulatorSettings) -> String? {
        guard case .string(let text) = value else { return "wrong_type" }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let fits = names.count <= 32 && Set(names).count == names.count && names.allSatisfy { (1...64).contains($0.count) }
        guard fits else { return "out_of_range" }
        settings.keypadSlots = names
        return nil
    }
}

extension AddressField {
    /// All keys, in the order of the documentation.
    static let ofSimulator = SimulatorField.all.map(\.field)
}

extension AdapterGuide {
    /// The guide of the simulator.
    package static let simulator = AdapterGuide(
        kind: "simulator",
        attaching: """
            locks in memory, for trials and tests. All keys can be left out: \
            \(AddressField.ofSimulator.map(\.name).joined(separator: ", ")).
            """,
        examples: [
            #"doorward attach "Front door" --adapter simulator --property "Quay 1""#,
            """
            doorward attach Cellar --adapter simulator --property "Quay 1" --unit 1A \\
              --address latencyMs=400 batteryLevel=80
            """,
        ])
}
