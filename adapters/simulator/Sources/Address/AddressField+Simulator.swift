internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The keys of a simulated lock's address, in one place: `SimulatorSettings` reads them, and a test compares them with the README
/// and the defaults.
extension AddressField {
    static let latency = AddressField(
        "latencyMs", .integer(0...60_000), default: .integer(200),
        meaning: "Milliseconds from the order to the bolt's arrival; 0 moves the bolt and confirms at once.")
    static let jitter = AddressField(
        "jitterMs", .integer(0...60_000), default: .integer(0),
        meaning: "At most so many milliseconds are added to latencyMs, drawn anew for each movement.")
    static let seed = AddressField(
        "seed", .integer(.min ... .max), meaning: "Seeds the draws of this lock; without it the device's id does.")
    static let capabilities = AddressField(
        "capabilities", .words(LockCapabilities.all.names), default: .array(LockCapabilities.all.names.map { .string($0) }),
        meaning: "What the lock can do and say.")
    static let initialState = AddressField(
        "initialState", .word([LockState.locked.rawValue, LockState.unlocked.rawValue]),
        default: .string(LockState.locked.rawValue), meaning: "Where the bolt stands when the lock is attached.")
    static let autoRelock = AddressField(
        "autoRelockSeconds", .integer(0...3600), default: .integer(0),
        meaning: "Seconds after an unlock, or after the door was closed, until the lock locks itself; 0 for never.")
    static let batteryLevel = AddressField(
        "batteryLevel", .integer(0...100), default: .integer(100),
        meaning: "Percent at the start, and again after clear; a lock at 0 is dead, and offline.")
    static let lowBattery = AddressField(
        "lowBatteryLevel", .integer(0...90), default: .integer(20),
        meaning: "Percent at and below which the lock warns; the warning ends 5 above it.")
    static let batteryPerMovement = AddressField(
        "batteryPerMovement", .number(0...100), default: .integer(0), meaning: "Percent that one movement of the motor takes.")
    static let batteryPerDay = AddressField(
        "batteryPerDay", .number(0...100), default: .integer(0), meaning: "Percent that 24 hours take.")
    static let jamRate = AddressField(
        "jamRate", .number(0...1), default: .integer(0), meaning: "The chance that a movement jams, that movement alone.")
    static let refusalRate = AddressField(
        "refusalRate", .number(0...1), default: .integer(0),
        meaning: "The chance that an order is refused, cause other; the bolt stays.")
    static let lostRate = AddressField(
        "lostConfirmationRate", .number(0...1), default: .integer(0),
        meaning: "The chance that the bolt moves and the lock does not say so.")
    static let lateRate = AddressField(
        "lateConfirmationRate", .number(0...1), default: .integer(0),
        meaning: "The chance that the lock says so lateConfirmationMs late.")
    static let late = AddressField(
        "lateConfirmationMs", .integer(0...600_000), default: .integer(5000),
        meaning: "Milliseconds after the bolt's arrival until the word of a late confirmation.")
    static let wrongStateRate = AddressField(
        "wrongStateRate", .number(0...1), default: .integer(0),
        meaning: "The chance that the lock reports the opposite of what a movement did.")
    static let duplicateRate = AddressField(
        "duplicateRate", .number(0...1), default: .integer(0), meaning: "The chance that a report arrives twice.")
    static let disorderRate = AddressField(
        "disorderRate", .number(0...1), default: .integer(0),
        meaning: "The chance that a report is held up on its way, so that later ones overtake it.")
    static let disorder = AddressField(
        "disorderMs", .integer(0...600_000), default: .integer(5000),
        meaning: "At most so many milliseconds is a report held up, or comes its repeat after it; drawn for each.")
    static let reportsNumbered = AddressField(
        "reportsNumbered", .boolean, default: .bool(true),
        meaning: "Whether reports bear numbers, so that old ones are known for what they are.")
    static let offlineMemory = AddressField(
        "offlineMemory", .integer(0...1000), default: .integer(0),
        meaning: "How many events the lock keeps while it is offline, and tells when it is back; the newest stay.")
    static let keypadSlots = AddressField(
        "keypadSlots", .text,
        meaning:
            "Whose codes the keypad knows: at most 32 names of 1 to 64 characters, with commas between. Without it no keypad.")

    /// All keys, in the order of the documentation.
    static let ofSimulator: [AddressField] = [
        latency, jitter, seed, capabilities, initialState, autoRelock, keypadSlots, batteryLevel, lowBattery,
        batteryPerMovement, batteryPerDay, jamRate, refusalRate, lostRate, lateRate, late, wrongStateRate, duplicateRate,
        disorderRate, disorder, reportsNumbered, offlineMemory,
    ]
}
