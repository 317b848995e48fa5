import DoorwardDomain

/// The canonical encoding of a record, version 1, as specified in docs/log-format.md. A record has exactly one encoding. Its
/// bytes are stored, and their hash is a leaf of the log's Merkle tree.
package enum RecordEncoding {
    /// The byte after the magic `DWRD`. Every other version is another format.
    package static let version: UInt8 = 1
    /// The maximum size of an entry in a tile-based log (C2SP tlog-tiles).
    package static let maxByteCount = 65_535

    /// Encodes the record in its final form, with a commitment instead of each personal value.
    ///
    /// - Parameter key: returns an owner's key in the log, and creates it if there is none. Called once for consecutive values
    ///   of one owner.
    /// - Throws: `RecordEncodingError` if the body has no encoding (see `encodeFitting`), or the error of `key`.
    package static func encode(
        _ body: RecordBody, seq: UInt64, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> EncodedRecord {
        var sealer = ValueSealer(log: body.log, seq: seq, at: body.at)
        let bytes = try RecordWriter.bytes(of: body, seq: seq) { field, value, person in
            try sealer.seal(value, field: field, person: person, key: key)
        }
        return EncodedRecord(bytes: bytes, leafHash: MerkleTree.leafHash(bytes), personal: sealer.sealed)
    }

    /// Encodes like `encode`, but truncates a body that has no encoding, so that no record is lost because of its content.
    ///
    /// A truncated record has `details.shortened`; the rules are in docs/log-format.md, section "Records that are too large".
    package static func encodeFitting(
        _ body: RecordBody, seq: UInt64, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> EncodedRecord {
        do {
            return try encode(body, seq: seq, key: key)
        } catch is RecordEncodingError {
            return try encode(RecordTruncation.fitted(body), seq: seq, key: key)
        }
    }

    /// Decodes a record. Rejects all bytes that `encode` would not have written.
    ///
    /// - Parameter personal: returns the value of a commitment, decrypted by `PersonalCommitment.open`, or `nil` if it is
    ///   withheld.
    /// - Throws: `RecordDecodingError`, or the error of `personal`.
    package static func decode(
        _ bytes: [UInt8], personal: (PersonalCommitment) throws -> String? = { _ in nil }
    ) throws -> DecodedRecord {
        let fields = try RecordFields(bytes)
        var reader = RecordReader(fields: fields)
        return try reader.record(personal: personal)
    }
}

/// The reason why a body has no encoding.
package enum RecordEncodingError: Error, Equatable, Sendable {
    /// The encoding would exceed 65,535 bytes.
    case tooLarge
    /// The details are nested deeper than 32 levels.
    case tooDeep
    /// An integer in the details is outside ±(2^53 − 1), where JSON readers differ.
    case integerOutOfRange
    /// The details contain a withheld value, which cannot be encoded again.
    case withheldValue
}

/// The reason why bytes are not a valid record.
package enum RecordDecodingError: Error, Equatable, Sendable {
    /// The bytes do not begin with the magic of a record.
    case notARecord
    /// The bytes are a record of another version, which this program cannot read.
    case unknownVersion(UInt8)
    /// There are more than 65,535 bytes.
    case tooLarge
    /// The bytes end in the middle of a field.
    case truncated
    /// The bytes contain a field number that version 1 does not define.
    case unknownField(UInt8)
    /// A field is repeated, or follows a field with a higher number.
    case outOfOrder(UInt8)
    /// A field is absent that every record has, or that another field of this record requires.
    case missing(RecordField)
    /// The value does not have the field's form.
    case malformed(RecordField)
}

/// A record in its final stored form.
package struct EncodedRecord: Hashable, Sendable {
    /// The canonical bytes of docs/log-format.md, at most 65,535.
    package let bytes: [UInt8]
    /// The leaf of the log's Merkle tree: 32 bytes.
    package let leafHash: [UInt8]
    /// The encrypted personal values, in the order of the record's commitments.
    package let personal: [SealedValue]

    package init(bytes: [UInt8], leafHash: [UInt8], personal: [SealedValue]) {
        (self.bytes, self.leafHash, self.personal) = (bytes, leafHash, personal)
    }
}

/// A record read back from its bytes.
package struct DecodedRecord: Hashable, Sendable {
    /// The record. Personal values that were unavailable are `nil`, and `.withheld` inside the details.
    package let record: AccessRecord
    /// All commitments in the record, in its order.
    package let commitments: [PersonalCommitment]
    /// The fields whose values were unavailable: erased, or withheld from this reader.
    package let withheld: [String]

    package init(record: AccessRecord, commitments: [PersonalCommitment], withheld: [String]) {
        (self.record, self.commitments, self.withheld) = (record, commitments, withheld)
    }
}

/// Encrypts the personal values of one record in the order of the fields, and computes their commitments.
struct ValueSealer {
    private let log: LogID
    private let seq: UInt64
    private let at: Timestamp
    private(set) var sealed: [SealedValue] = []
    /// The most recent owner and the owner's key, kept because most records have one owner.
    private var last: (person: UserID?, owner: PersonKeyOwner, key: PersonKey)?

    init(log: LogID, seq: UInt64, at: Timestamp) { (self.log, self.seq, self.at) = (log, seq, at) }

    /// Encrypts one value.
    /// - Returns: the commitment for the record.
    mutating func seal(
        _ value: String, field: String, person: UserID?, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> [UInt8] {
        let (owner, personKey) = try ownerKey(of: person, key: key)
        let place = PersonalFieldPath(log: log, seq: seq, field: field)
        let commitment = place.commitment(to: value, salt: place.salt(under: personKey))
        let ciphertext = try place.seal(value, commitment: commitment, under: personKey)
        sealed.append(SealedValue(field: field, owner: owner, ciphertext: ciphertext))
        return commitment
    }

    private mutating func ownerKey(
        of person: UserID?, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> (PersonKeyOwner, PersonKey) {
        if let last, last.person == person { return (last.owner, last.key) }
        let owner = person.map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: at)
        let found = try key(owner)
        last = (person, owner, found)
        return (owner, found)
    }
}
