internal import DoorwardAdapterKit
internal import DoorwardDomain

extension SimulatorSettings {
    /// The keys of an address, as `init(address:)` reads them.
    static let addressFields: [AddressField] = [
        AddressField(
            "latencyMs", .integer(0...60_000), default: .integer(200),
            meaning: "Milliseconds from the order to the bolt's arrival; 0 moves the bolt at once."),
        AddressField(
            "jitterMs", .integer(0...60_000), default: .integer(0),
            meaning: "At most so many milliseconds are added to latencyMs, drawn anew for each order."),
        AddressField(
            "seed", .integer(.min ... .max), meaning: "Seeds the draws of this lock; without it the device's id does."),
        AddressField(
            "batteryLevel", .integer(0...100), default: .integer(100),
            meaning: "Percent at the start; the lock warns at 20 and below."),
        AddressField(
            "capabilities", .words(LockCapabilities.all.names), default: .array(LockCapabilities.all.names.map { .string($0) }),
            meaning: "What the lock can do and say."),
        AddressField(
            "initialState", .word([LockState.locked.rawValue, LockState.unlocked.rawValue]),
            default: .string(LockState.locked.rawValue), meaning: "Where the bolt stands when the lock is attached."),
        AddressField(
            "jamRate", .number(0...1), default: .integer(0), meaning: "The chance that an order jams, that order alone."),
        AddressField(
            "lostConfirmationRate", .number(0...1), default: .integer(0),
            meaning: "The chance that the bolt moves and the lock does not say so."),
        AddressField(
            "lateConfirmationMs", .integer(0...600_000), default: .integer(5_000),
            meaning: "Milliseconds after the bolt's arrival until the lock says so, under the event confirm_late."),
    ]
}
