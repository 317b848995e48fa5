internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The `address` of a device: the lock's number on the bus, and its latch.
struct SerialAddress: Hashable {
    /// The lock's number on the bus.
    let number: Int
    /// Whether the lock can pull the latch.
    let hasLatch: Bool

    static let fields = [
        AddressField("lock", .integer(1...247), isRequired: true, description: "The lock's number on the bus."),
        AddressField("latch", .boolean, default: .bool(false), description: "Whether the lock can pull the latch."),
    ]

    /// - Throws: `AddressErrors` with all errors of the address.
    init(_ address: [String: JSONValue]) throws(AddressErrors) {
        try Self.fields.check(address)
        number = if case .integer(let number)? = address["lock"] { Int(number) } else { 0 }
        hasLatch = address["latch"] == .bool(true)
    }

    var capabilities: LockCapabilities {
        let all: LockCapabilities = [.lock, .unlock, .unlatch, .jam, .battery, .refresh]
        return hasLatch ? all : all.subtracting(.unlatch)
    }
}
