import Crypto
import DoorwardDomain
import FoundationEssentials

/// The fields of a record. Raw values are the field numbers in the encoding, which never change.
package enum RecordField: UInt8, CaseIterable, Sendable {
    /// The log that contains the record: `gateway`, or a portfolio's id.
    case logID = 1
    /// The record's number in its log and its leaf index: 8 bytes, below 2^63.
    case seq = 2
    /// The record's own id.
    case id = 3
    /// The time of the event: milliseconds since 1970-01-01T00:00:00Z, 8 bytes, signed.
    case at = 4
    /// The kind of the record, a raw value of `RecordKind`.
    case kind = 5
    /// The requested lock operation.
    case operation = 6
    /// The decision on the operation.
    case decision = 7
    /// The reason of a denial.
    case reason = 8
    /// The rule that allowed the operation, or came nearest to allowing it: `kind/id/role`.
    case rule = 9
    /// The kind of the actor.
    case actorKind = 10
    /// The actor's id, a pseudonym that is kept when the person is erased.
    case actorID = 11
    /// A commitment to the actor's name.
    case actorName = 12
    /// The id of the user who acted. The personal values outside the details are encrypted under this user's key.
    case actorUserID = 13
    /// The interface through which the request or event reached the gateway.
    case source = 14
    /// A commitment to the client's network address.
    case clientAddress = 15
    /// The id of the request, which its response contains too.
    case requestID = 16
    /// The device concerned.
    case deviceID = 17
    /// The device's name when the record was written; only together with `deviceID`.
    case deviceName = 18
    /// The unit of the device when the record was written. Without a device, the unit that the record concerns.
    case unitID = 19
    /// The property of the device, or without a device, the property that the record concerns.
    case propertyID = 20
    /// The portfolio of the device, or without a device, the portfolio that the record concerns.
    case portfolioID = 21
    /// The command that the record belongs to.
    case commandID = 22
    /// The final state of the command.
    case outcome = 23
    /// The cause of an outcome that is not a confirmation.
    case outcomeDetail = 24
    /// The bolt state before the command.
    case stateBefore = 25
    /// The bolt state after the command or event.
    case stateAfter = 26
    /// The time from dispatch to outcome in milliseconds: 8 bytes, signed.
    case latencyMs = 27
    /// A commitment to the reason that the caller gave.
    case statedReason = 28
    /// A commitment to the reason that the caller gave for an override, if the decision required one.
    case override = 29
    /// The event, a raw value of `RecordEvent`.
    case event = 30
    /// The method by which the lock was operated, a raw value of `EventMethod`.
    case method = 31
    /// The kind of the administrative change.
    case action = 32
    /// The type of the changed entity; only together with `targetID`.
    case targetType = 33
    /// The id of the changed entity.
    case targetID = 34
    /// Further data, as canonical JSON.
    case details = 35

    /// The name of a personal field in its commitment; `nil` for fields that are stored in the record itself.
    var personalName: String? {
        switch self {
        case .actorName: "actorName"
        case .clientAddress: "clientAddress"
        case .statedReason: "statedReason"
        case .override: "override.reason"
        default: nil
        }
    }
}

/// The bytes of a record split into fields. Validates everything except the values.
struct RecordFields {
    private let bytes: [UInt8]
    /// The position of each value, indexed by field number from 1 to 35; 0 if the field is absent. The length is in the two bytes
    /// before it.
    private var positions: InlineArray<36, UInt16>

    init(_ bytes: [UInt8]) throws(RecordDecodingError) {
        self.bytes = bytes
        positions = InlineArray(repeating: 0)
        var position = RecordWriter.magic.count + 1
        guard bytes.count >= position, bytes.starts(with: RecordWriter.magic) else { throw .notARecord }
        let version = bytes[position - 1]
        guard version == RecordEncoding.version else { throw .unknownVersion(version) }
        guard bytes.count <= RecordEncoding.maxByteCount else { throw .tooLarge }
        var last: UInt8 = 0
        while position < bytes.count {
            guard position + 3 <= bytes.count else { throw .truncated }
            let number = bytes[position]
            guard RecordField(rawValue: number) != nil else { throw .unknownField(number) }
            guard number > last else { throw .outOfOrder(number) }
            let start = position + 3
            let end = start + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            guard end <= bytes.count else { throw .truncated }
            positions[Int(number)] = UInt16(start)
            (last, position) = (number, end)
        }
    }

    /// The bytes of the value, or `nil` if the field is absent.
    subscript(field: RecordField) -> ArraySlice<UInt8>? {
        let start = Int(positions[Int(field.rawValue)])
        return start == 0 ? nil : bytes[start..<start + Int(bytes[start - 2]) << 8 + Int(bytes[start - 1])]
    }

    /// The value of a mandatory field.
    func required(_ field: RecordField) throws(RecordDecodingError) -> ArraySlice<UInt8> {
        guard let value = self[field] else { throw .missing(field) }
        return value
    }

    func text(_ field: RecordField) throws(RecordDecodingError) -> String? {
        guard let value = self[field] else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else { throw .malformed(field) }
        return text
    }

    func uint64(_ field: RecordField) throws(RecordDecodingError) -> UInt64? {
        guard let value = self[field] else { return nil }
        guard let number = value.bigEndianUInt64 else { throw .malformed(field) }
        return number
    }

    func value<Value: RawRepresentable<String>>(_ field: RecordField) throws(RecordDecodingError) -> Value? {
        guard let bytes = self[field], let text = try text(field) else { return nil }
        // Swift compares strings by their normal forms: `LOC` with a Kelvin sign would be accepted as `LOCK`.
        guard let value = Value(rawValue: text), value.rawValue.utf8.elementsEqual(bytes) else { throw .malformed(field) }
        return value
    }
}

/// The location of a personal value: a record and a field. It is known before the record has a position in its log.
///
/// `field` is `actorName`, `clientAddress`, `statedReason`, `override.reason`, or a path into the details such as
/// `details.after.email` or `details.names[0]`; it is unique in its record. The formulas are those of docs/log-format.md,
/// section "Personal values".
package struct PersonalFieldPath: Hashable, Sendable {
    /// The record's id. A key is valid for one log only, so the log needs no mention.
    package let record: RecordID
    /// The field name described above; contains no zero byte.
    package let field: String

    package init(record: RecordID, field: String) { (self.record, self.field) = (record, field) }

    /// Returns the salt of the commitment. The salt can be computed only with the key; without the salt, the commitment reveals
    /// nothing about the value.
    package func salt(under key: PersonKey) -> Digest32 {
        Digest32(HMAC<SHA256>.authenticationCode(for: tuple, using: key.salting))
    }

    /// Returns the commitment that the record contains instead of `value`.
    package func commitment(to value: String, salt: Digest32) -> Digest32 {
        Self.commitment(to: value, in: field, salt: salt)
    }

    /// Returns the commitment to a value in the field with this name.
    static func commitment(to value: String, in field: String, salt: Digest32) -> Digest32 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + field.utf8.count + MerkleTree.hashByteCount + value.utf8.count)
        bytes.append("doorward/pii/1\0")
        bytes.append(string: field)
        bytes.append(0)
        salt.withBytes { bytes.append(contentsOf: $0) }
        bytes.append(string: value)
        return Digest32(SHA256.hash(data: bytes))
    }

    /// Encrypts `value` with AES-256-GCM, and returns nonce (12 bytes), ciphertext and tag (16
    /// bytes). The location is authenticated data.
    ///
    /// The nonce is a prefix of the commitment, which is a hash of the location's salt and the value. The nonce therefore differs
    /// for each location, and for each value at one location. If a record is sealed again, another value gets another nonce, and the
    /// same value the same ciphertext. Salts are unpredictable without the key, so an attacker cannot search for two values with equal nonces. A random collision is likely only after
    /// about 2^48 values under one key. A nonce need not be secret.
    func seal(_ value: String, commitment: Digest32, under key: PersonKey) throws -> [UInt8] {
        try AES.GCM.sealed(Array(value.utf8), using: key.sealing, nonce: commitment.bytes[..<12], authenticating: tuple)
    }

    /// The location as bytes: `id ‖ 0x00 ‖ field`, with the id as the record contains it: as text. These bytes are unique for each
    /// location, because neither contains a zero byte.
    private var tuple: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(46 + field.utf8.count)
        bytes.append(id: record)
        bytes.append(0)
        bytes.append(contentsOf: field.utf8)
        return bytes
    }

    /// Decrypts `sealed`; fails unless it was encrypted for this location under `key`.
    func open(_ sealed: ArraySlice<UInt8>, under key: PersonKey) throws(PersonalValueError) -> String {
        guard let bytes = AES.GCM.opened(sealed, using: key.sealing, authenticating: tuple) else {
            throw .doesNotOpen(field: field)
        }
        // Bytes that are not UTF-8 were never sealed: they become a value that its commitment does not match.
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason why a personal value could not be read. It names the field, never the value.
package enum PersonalValueError: Error, Equatable, Sendable {
    /// The encrypted value was altered, belongs to another location, or was encrypted under another key.
    case doesNotOpen(field: String)
    /// The value was decrypted, but is not the value that the record commits to.
    case commitmentMismatch(field: String)
}
