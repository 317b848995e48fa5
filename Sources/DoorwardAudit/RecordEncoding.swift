import DoorwardDomain

/// The canonical bytes of a record, version 1, exactly as docs/log-format.md has them. A record has one encoding; these
/// bytes are what is hashed into the log's Merkle tree, and what is stored.
package enum RecordEncoding {
    /// The byte after the magic `DWRD`. Another version is another format.
    package static let version: UInt8 = 1
    /// What an entry of a tile-based log can hold (C2SP tlog-tiles).
    package static let maxByteCount = 65_535

    /// The record in its final form, with a commitment in the place of each personal value.
    ///
    /// - Parameter key: gives the log's key of an owner, making it if there is none. Called once for a run of values of
    ///   one owner.
    /// - Throws: `RecordEncodingError` if the body has no encoding (see `encodeFitting`), or what `key` throws.
    package static func encode(
        _ body: RecordBody, seq: UInt64, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> EncodedRecord {
        var sealer = ValueSealer(log: body.log, seq: seq, at: body.at)
        let bytes = try RecordWriter.bytes(of: body, seq: seq) { field, value, person in
            try sealer.seal(value, field: field, person: person, key: key)
        }
        return EncodedRecord(bytes: bytes, leafHash: MerkleTree.leafHash(bytes), personal: sealer.sealed)
    }

    /// As `encode`, but no record is lost for what it says: a body without an encoding is first made to fit.
    ///
    /// What is changed is told in `details.shortened`, and is described in docs/log-format.md, section "Records that
    /// are too large".
    package static func encodeFitting(
        _ body: RecordBody, seq: UInt64, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> EncodedRecord {
        do {
            return try encode(body, seq: seq, key: key)
        } catch is RecordEncodingError {
            return try encode(RecordFitting.fitted(body), seq: seq, key: key)
        }
    }

    /// Reads a record back. Whatever `encode` would not have written is refused.
    ///
    /// - Parameter personal: gives the value behind a commitment, by `PersonalCommitment.open`, or `nil` where it is
    ///   withheld.
    /// - Throws: `RecordDecodingError`, or what `personal` throws.
    package static func decode(
        _ bytes: [UInt8], personal: (PersonalCommitment) throws -> String? = { _ in nil }
    ) throws -> DecodedRecord {
        let fields = try RecordFields(bytes)
        var reader = RecordReader(fields: fields)
        return try reader.record(personal: personal)
    }
}

/// Why a body has no encoding.
package enum RecordEncodingError: Error, Equatable, Sendable {
    /// It would have more than 65,535 bytes.
    case tooLarge
    /// The details are nested more than 32 deep.
    case tooDeep
    /// An integer in the details is beyond ±(2^53 − 1), and JSON readers would not agree on it.
    case integerOutOfRange
    /// A withheld value is not one that can be written again.
    case withheldValue
}

/// Why bytes are not a record.
package enum RecordDecodingError: Error, Equatable, Sendable {
    /// They do not begin as a record does.
    case notARecord
    /// They are a record of a later version, which this program cannot read.
    case unknownVersion(UInt8)
    /// There are more than 65,535 of them.
    case tooLarge
    /// They end in the middle of a field.
    case truncated
    /// A field of this number is none of version 1.
    case unknownField(UInt8)
    /// The field comes twice, or after one with a higher number.
    case outOfOrder(UInt8)
    /// A field that every record has, or that another field of this one needs, is not there.
    case missing(RecordField)
    /// The value is not of the field's form.
    case malformed(RecordField)
}
