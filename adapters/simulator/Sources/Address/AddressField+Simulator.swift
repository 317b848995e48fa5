package import DoorwardAdapterKit
internal import DoorwardDomain

/// The keys of a simulated lock's address, in one place: `SimulatorSettings` reads them, and a test compares them with the README
/// and the defaults.
extension AddressField {
    static let latency = AddressField(
        "latencyMs", .integer(0...60_000), default: .integer(200),
        description: "Milliseconds from a command to the end of the movement; 0 moves the bolt and confirms at once.")
    static let jitter = AddressField(
        "jitterMs", .integer(0...60_000), default: .integer(0),
        description: "Maximum of the random time, in milliseconds, that is added to latencyMs for each movement.")
    static let seed = AddressField(
        "seed", .integer(.min ... .max), description: "Seed of this lock's random numbers. Default: derived from the device's id."
    )
    static let capabilities = AddressField(
        "capabilities", .words(LockCapabilities.all.names), default: .array(LockCapabilities.all.names.map { .string($0) }),
        description: "The capabilities of the lock.")
    static let initialState = AddressField(
        "initialState", .word([LockState.locked.rawValue, LockState.unlocked.rawValue]),
        default: .string(LockState.locked.rawValue), description: "State of the bolt when the lock is attached.")
    static let autoRelock = AddressField(
        "autoRelockSeconds", .integer(SimulatorSettings.autoRelockRange), default: .integer(0),
        description: "Seconds after an unlock, or after the door was closed, until the lock locks itself; 0 for never.")
    static let batteryLevel = AddressField(
        "batteryLevel", .integer(0...100), default: .integer(100),
        description: "Percent at the start, and again after clear; at 0 the lock is offline.")
    static let lowBattery = AddressField(
        "lowBatteryLevel", .integer(0...90), default: .integer(20),
        description: "Percent at and below which the lock reports a low battery; the warning ends 5 above it.")
    static let batteryPerMovement = AddressField(
        "batteryPerMovement", .number(0...100), default: .integer(0), description: "Percent that one movement of the motor uses.")
    static let batteryPerDay = AddressField(
        "batteryPerDay", .number(0...100), default: .integer(0), description: "Percent that the lock uses in 24 hours.")
    static let jamRate = AddressField(
        "jamRate", .number(0...1), default: .integer(0),
        description: "Probability that a movement jams; the next movement is not affected.")
    static let refusalRate = AddressField(
        "refusalRate", .number(0...1), default: .integer(0),
        description: "Probability that the lock refuses a command (cause other) and does not move.")
    static let lostRate = AddressField(
        "lostConfirmationRate", .number(0...1), default: .integer(0),
        description: "Probability that the bolt moves and the lock does not report it.")
    static let lateRate = AddressField(
        "lateConfirmationRate", .number(0...1), default: .integer(0),
        description: "Probability that the lock reports a movement lateConfirmationMs late.")
    static let late = AddressField(
        "lateConfirmationMs", .integer(0...600_000), default: .integer(5000),
        description: "Milliseconds from the end of a movement to its late confirmation.")
    static let wrongStateRate = AddressField(
        "wrongStateRate", .number(0...1), default: .integer(0),
        description: "Probability that the lock reports the opposite of the state that a movement led to.")
    static let duplicateRate = AddressField(
        "duplicateRate", .number(0...1), default: .integer(0), description: "Probability that a report arrives twice.")
    static let disorderRate = AddressField(
        "disorderRate", .number(0...1), default: .integer(0),
        description: "Probability that a report is delayed, so that later ones overtake it.")
    static let disorder = AddressField(
        "disorderMs", .integer(0...600_000), default: .integer(5000),
        description: "Maximum random delay of a delayed report or of a duplicate, in milliseconds.")
    static let reportsNumbered = AddressField(
        "reportsNumbered", .boolean, default: .bool(true),
        description: "Whether reports have sequence numbers, by which the gateway recognizes old ones.")
    static let offlineMemory = AddressField(
        "offlineMemory", .integer(0...1000), default: .integer(0),
        description: "Number of events that the lock stores while offline and reports afterwards; the newest are kept.")
    static let keypadSlots = AddressField(
        "keypadSlots", .text,
        description:
            "Slots of the keypad: at most 32 names of 1 to 64 characters, separated by commas. Without them no keypad.")

    /// All keys, in the order of the documentation.
    static let ofSimulator: [AddressField] = [
        latency, jitter, seed, capabilities, initialState, autoRelock, keypadSlots, batteryLevel, lowBattery,
        batteryPerMovement, batteryPerDay, jamRate, refusalRate, lostRate, lateRate, late, wrongStateRate, duplicateRate,
        disorderRate, disorder, reportsNumbered, offlineMemory,
    ]
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
