internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Where a lock is on the bus, and what it can do, as the `address` of its device says.
struct SerialAddress: Hashable {
    /// The number on the bus.
    let number: Int
    /// Whether it can pull the latch.
    let hasLatch: Bool

    static let fields = [
        AddressField("lock", .integer(1...247), isRequired: true, meaning: "The lock's number on the bus."),
        AddressField("latch", .boolean, default: .bool(false), meaning: "Whether the lock can pull the latch."),
    ]

    /// - Throws: every mistake.
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
