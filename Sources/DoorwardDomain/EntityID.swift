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
    package init?(_ text: some StringProtocol) { self.init(text: text.utf8) }

    /// Parses the bytes of the canonical form, without an allocation if they are contiguous. Returns `nil` for any other bytes.
    package init?(text: some Collection<UInt8>) {
        let halves =
            text.withContiguousStorageIfAvailable(IDText.halves) ?? Array(text).withUnsafeBufferPointer(IDText.halves)
        guard let (high, low) = halves else { return nil }
        self.init(high: high, low: low)
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
    public var description: String {
        String(unsafeUninitializedCapacity: IDText.byteCount) { IDText.write(high, low, to: UnsafeMutableRawBufferPointer($0)) }
    }

    /// Calls `body` with the bytes of the canonical text, which is ASCII, without allocating a string.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: IDText.byteCount) { buffer in
            body(UnsafeBufferPointer(rebasing: buffer[..<IDText.write(high, low, to: UnsafeMutableRawBufferPointer(buffer))]))
        }
    }
}

/// Reads and writes the canonical text of an id, eight digits at a time: each byte of a word has one digit, the first digit in the
/// most significant byte.
private enum IDText {
    static let byteCount = 36

    /// One in each byte of a word.
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let hyphen = UInt8(ascii: "-")

    /// The two halves of the id; `nil` if the bytes are not the canonical text.
    static func halves(of text: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
        guard text.count == byteCount, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(text)
        func four(at offset: Int) -> UInt64 {
            UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        guard let first = value(of: four(at: 0) << 32 | four(at: 4)), let second = value(of: four(at: 9) << 32 | four(at: 14)),
            let third = value(of: four(at: 19) << 32 | four(at: 24)), let fourth = value(of: four(at: 28) << 32 | four(at: 32))
        else { return nil }
        return (first << 32 | second, third << 32 | fourth)
    }

    /// The value of eight lower-case hexadecimal digits; `nil` for anything else.
    private static func value(of digits: UInt64) -> UInt64? {
        let highBits = 0x80 * ones
        guard digits & highBits == 0 else { return nil }
        // In the result, the high bit of a byte is set if the byte of `digits` is at least `start`. Each sum is less than 256, so
        // that no bit is carried to the next byte.
        func mask(from start: UInt64) -> UInt64 { digits + (0x80 - start) * ones }
        let valid = mask(from: 0x30) & ~mask(from: 0x3A) | mask(from: 0x61) & ~mask(from: 0x67)
        guard valid & highBits == highBits else { return nil }
        // Bit 6 of a byte is set for letters only. The four bits of each byte are then moved together.
        var value = (digits & (0x0F * ones)) + 9 * (digits >> 6 & ones)
        value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        return (value | value >> 16) & 0xFFFF_FFFF
    }

    /// Writes the text of an id at the beginning of a buffer.
    ///
    /// - Returns: the number of bytes.
    static func write(_ high: UInt64, _ low: UInt64, to text: UnsafeMutableRawBufferPointer) -> Int {
        func store(_ four: UInt64, at offset: Int) {
            text.storeBytes(of: UInt32(truncatingIfNeeded: four).bigEndian, toByteOffset: offset, as: UInt32.self)
        }
        let (second, third) = (digits(of: high & 0xFFFF_FFFF), digits(of: low >> 32))
        text.storeBytes(of: digits(of: high >> 32).bigEndian, toByteOffset: 0, as: UInt64.self)
        store(second >> 32, at: 9)
        store(second, at: 14)
        store(third >> 32, at: 19)
        store(third, at: 24)
        text.storeBytes(of: digits(of: low & 0xFFFF_FFFF).bigEndian, toByteOffset: 28, as: UInt64.self)
        (text[8], text[13], text[18], text[23]) = (hyphen, hyphen, hyphen, hyphen)
        return byteCount
    }

    /// The eight lower-case hexadecimal digits of a number of 32 bits.
    private static func digits(of value: UInt64) -> UInt64 {
        // The four bits of each digit are moved to a byte of their own.
        var digits = (value | value << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // From ten on, the sum with six has bit 4. The letter `a` is 39 after the character that follows `9` in ASCII.
        return digits + 0x30 * ones + 39 * ((digits + 6 * ones) >> 4 & ones)
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
