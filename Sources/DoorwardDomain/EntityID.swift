/// The id of an entity. Ids of different entity types are different Swift types, so that the id of
/// a property cannot be used as the id of a unit.
///
/// In the API an id is an opaque string. The gateway issues UUIDs of version 7 in lower case (RFC 9562, section 5.7). It stores
/// them as 128 bits, so that comparing and hashing an id takes a few nanoseconds. A text in any other form is the id of no
/// entity: `init?(_:)` returns `nil`, and `init(orNonexistent:)` returns `nonexistent`.
///
/// The type is public and inlinable because Swift 6.3 inlines and specialises only public declarations across modules. Without
/// specialisation, an id is compared through a witness table; these comparisons would be most of the cost of a decision.
public struct EntityID<Entity>: Sendable {
    /// The first eight bytes, big-endian. A version 7 UUID begins with its creation time, so ids sort by age.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Takes any 128 bits; does not check that they form a version 7 UUID.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the canonical form: 36 characters, lower-case hexadecimal digits with hyphens. Returns `nil` for any other text.
    package init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard utf8.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var nibbles = 0
        var position = 0
        for byte in utf8 {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let nibble = Self.nibble(byte) else { return nil }
                if nibbles < 16 { halves.0 = halves.0 << 4 | nibble } else { halves.1 = halves.1 << 4 | nibble }
                nibbles += 1
            }
            position += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// An id that no entity has: all bits are set, so its version is not 7 (the Max UUID of RFC 9562, section 5.10).
    package static var nonexistent: Self { Self(high: .max, low: .max) }

    /// Reads an id of a request. A text that is not in the canonical form is read as `nonexistent`, so that it is treated like any
    /// other id that does not exist.
    package init(orNonexistent text: some StringProtocol) { self = Self(text) ?? .nonexistent }

    /// Generates a version 7 id: 48 bits of the time in milliseconds, then 74 random bits.
    package static func new(at time: Timestamp, using random: inout some RandomNumberGenerator) -> Self {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        // Use 12 bits of the first random number and 62 bits of the second: all values are equally likely.
        let (randomA, randomB) = (random.next() >> 52, random.next() >> 2)
        return Self(high: milliseconds << 16 | 0x7000 | randomA, low: 1 << 63 | randomB)
    }

    /// The same 128 bits as an id of another entity type, such as a command's id as the target of a record.
    @inlinable
    public func cast<Other>(to: Other.Type = Other.self) -> EntityID<Other> { EntityID<Other>(high: high, low: low) }

    private static func nibble(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}

// These functions are written out so that other modules can inline them: every lookup compares and hashes ids.
extension EntityID: Hashable {
    /// Compares the random half first, as it differs for almost all ids.
    @inlinable
    public static func == (a: Self, b: Self) -> Bool { a.low == b.low && a.high == b.high }

    /// Hashes both halves. The first half makes a difference for ids with the same second half, such as those that tests choose.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(low ^ high &* 0x9E37_79B9_7F4A_7C15) }
}

extension EntityID: Comparable {
    /// Orders ids like their canonical texts. "The smaller id" always means this order.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension EntityID: CustomStringConvertible {
    /// The canonical text: lower case, with hyphens.
    public var description: String { String(unsafeUninitializedCapacity: 36) { writeText(to: $0) } }

    /// Calls `body` with the bytes of the canonical text, which is ASCII, without allocating a string.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { buffer in
            body(UnsafeBufferPointer(rebasing: buffer[..<writeText(to: buffer)]))
        }
    }

    private func writeText(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var position = 0
        func put(_ byte: UInt8) {
            buffer.initializeElement(at: position, to: byte)
            position += 1
        }
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { put(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index % 16))) & 0xF
            put(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
        return position
    }
}

extension EntityID: Codable {
    /// Decodes a string in the canonical form; throws a `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an id")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The id of a portfolio, and of its log.
public typealias PortfolioID = EntityID<Portfolio>
/// The id of a building or site.
package typealias PropertyID = EntityID<Property>
/// The id of an apartment, office or other space of a property.
package typealias UnitID = EntityID<Unit>
/// The id of a person; never reused after the user is deleted.
package typealias UserID = EntityID<User>
/// The id of one role of one user on one entity. A role that is removed and assigned again gets a new id.
package typealias AssociationID = EntityID<UserRoleAssociation>
/// The gateway's id of a lock; the identifiers that its adapter uses are in its `address`.
public typealias DeviceID = EntityID<LockDevice>
/// The id of one guest access; it does not identify the guest.
package typealias GuestAccessID = EntityID<GuestAccess>
/// The id of one request to move one lock; the command's intent, its outcome and later reports contain the id.
public typealias CommandID = EntityID<Command>
/// The id of one record, unique across logs; its position in its log is its `seq`.
package typealias RecordID = EntityID<AccessRecord>
/// The id of one API key; also part of the key's secret.
package typealias APIKeyID = EntityID<APIKey>
/// The id of one invitation; it does not identify the invited person.
package typealias InvitationID = EntityID<Invitation>
/// The id of one sign-in, to which its access and refresh tokens belong.
package typealias SessionID = EntityID<Session>
