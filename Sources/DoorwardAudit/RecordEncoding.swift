import DoorwardDomain
import FoundationEssentials

/// The canonical encoding of a record, version 1, as specified in docs/log-format.md. A record has exactly one encoding. Its
/// bytes are stored, and their hash is a leaf of the log's Merkle tree.
package enum RecordEncoding {
    /// The version of the format, in the byte after the magic `DWRD`.
    package static let version: UInt8 = 1
    /// The maximum size of a record. It equals the maximum size of an entry in a tile-based log (C2SP tlog-tiles).
    package static let maxByteCount = 65_535

    /// Decodes a record. Rejects all bytes that `RecordDraft` would not produce.
    ///
    /// - Parameter personal: returns the value of a commitment, decrypted by
    ///   `PersonalCommitment.open`, or `nil` if the value is withheld.
    /// - Throws: `RecordDecodingError`, or the error of `personal`.
    package static func decode(
        _ bytes: [UInt8], personal: (PersonalCommitment) throws -> String? = { _ in nil }
    ) throws -> DecodedRecord {
        var reader = RecordReader(fields: try RecordFields(bytes))
        return try reader.record(personal: personal)
    }

    /// Finds the commitments of a record, in order. This takes a fraction of the time of `decode`, because it reads only the fields
    /// that they depend on, and validates only these.
    ///
    /// - Throws: `RecordDecodingError`.
    package static func commitments(in bytes: [UInt8]) throws -> [PersonalCommitment] {
        var reader = RecordReader(fields: try RecordFields(bytes))
        return try reader.foundCommitments()
    }
}

/// The reason why a body has no encoding.
package enum RecordEncodingError: Error, Equatable, Sendable {
    /// The encoding would exceed 65,535 bytes.
    case tooLarge
    /// The details are nested deeper than 32 levels.
    case tooDeep
    /// An integer in the details is outside ±(2^53 − 1). Not every JSON reader represents such a number exactly.
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
    /// A field is absent, although it is mandatory in every record or another field of this record requires it.
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
}

/// A record read back from its bytes.
package struct DecodedRecord: Hashable, Sendable {
    /// The record. Personal values that were unavailable are `nil`, and `.withheld` inside the details.
    package let record: AccessRecord
    /// All commitments in the record, in the order of the record.
    package let commitments: [PersonalCommitment]
    /// The fields whose values were unavailable: erased, or withheld from this reader.
    package let withheld: [String]
}

/// A record that is encoded except for `seq`, the commitments and the sealed values, which depend on the record's position in
/// its log. A caller of the store creates drafts before the writer assigns positions, so that the writer does less work.
package struct RecordDraft: Sendable {
    private let record: RecordWriter
    private let id: RecordID
    private let at: Timestamp

    /// - Throws: if the body has no encoding (see `init(fitting:)`).
    package init(_ body: RecordBody) throws(RecordEncodingError) {
        record = try RecordWriter(body)
        (id, at) = (body.id, body.at)
    }

    /// Truncates a body that has no encoding, so that no record is lost because of its content.
    ///
    /// A truncated record has `details.shortened`; the rules are in docs/log-format.md, section "Records that are too large".
    package init(fitting body: RecordBody) throws(RecordEncodingError) {
        do {
            try self.init(body)
        } catch {
            try self.init(RecordTruncation.fitted(body))
        }
    }

    /// Completes the encoding, with a commitment instead of each personal value.
    ///
    /// - Parameter key: returns an owner's key in the log, and creates the key if there is none. It
    ///   is called once for consecutive values of one owner.
    /// - Throws: the error of `key`.
    package func encoded(seq: UInt64, key: (PersonKeyOwner) throws -> PersonKey) throws -> EncodedRecord {
        var bytes = record.bytes
        bytes.overwrite(at: record.seqOffset, with: withUnsafeBytes(of: seq.bigEndian, Array.init))
        var sealed: [SealedValue] = []
        sealed.reserveCapacity(record.slots.count)
        // The most recent owner and the owner's key, kept because most records have one owner.
        var last: (person: UserID?, owner: PersonKeyOwner, key: PersonKey)?
        for slot in record.slots {
            let current: (person: UserID?, owner: PersonKeyOwner, key: PersonKey)
            if let last, last.person == slot.person {
                current = last
            } else {
                let owner = slot.person.map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: at)
                current = (slot.person, owner, try key(owner))
                last = current
            }
            let place = PersonalFieldPath(record: id, field: slot.field)
            let commitment = place.commitment(to: slot.value, salt: place.salt(under: current.key))
            let ciphertext = try place.seal(slot.value, commitment: commitment, under: current.key)
            sealed.append(SealedValue(field: slot.field, owner: current.owner, ciphertext: ciphertext))
            switch slot.form {
            case .bytes: bytes.overwrite(at: slot.offset, with: commitment.bytes)
            case .base64: bytes.overwrite(at: slot.offset, with: Data(commitment.bytes).base64EncodedString().utf8)
            }
        }
        return EncodedRecord(bytes: bytes, leafHash: MerkleTree.leafHash(bytes), personal: sealed)
    }
}

/// Truncates a body until it can be encoded, so that no record is lost because of its content. The steps are those of
/// docs/log-format.md, section "Records that are too large". They are applied in order until the body fits.
enum RecordTruncation {
    /// The key that marks the details of a truncated record.
    static let marker = "shortened"
    /// The maximum lengths of texts, in bytes of UTF-8. The limits are tried in this order until the body fits.
    private static let textLimits = [4096, 1024, 256, 64]
    /// The end of a truncated text.
    private static let ellipsis = "…"

    /// Returns a truncated body that has an encoding, with as much of the content as fits.
    static func fitted(_ body: RecordBody) -> RecordBody {
        var body = body
        body.details = body.details.mapValues { representable($0, depth: 1) }
        body.details[marker] = .bool(true)
        for limit in textLimits where !fits(body) { body = cut(body, to: limit) }
        return fits(body) ? body : withSmallestDetails(body)
    }

    private static func fits(_ body: RecordBody) -> Bool { (try? RecordWriter(body)) != nil }

    /// Replaces values that have no encoding.
    private static func representable(_ value: RecordValue, depth: Int) -> RecordValue {
        switch value {
        case .null, .bool, .string, .personal: value
        case .withheld: .null
        case .integer(let number): DetailsFormat.integers.contains(number) ? value : .string(String(number))
        case .array(let elements):
            depth < DetailsFormat.maxDepth ? .array(elements.map { representable($0, depth: depth + 1) }) : .string(ellipsis)
        case .object(let members):
            depth < DetailsFormat.maxDepth
                ? .object(members.mapValues { representable($0, depth: depth + 1) }) : .string(ellipsis)
        }
    }

    private static func cut(_ body: RecordBody, to limit: Int) -> RecordBody {
        var body = body
        body.actor.id = body.actor.id.map { cut($0, to: limit) }
        body.requestID = body.requestID.map { cut($0, to: limit) }
        if let name = body.device?.deviceName { body.device?.deviceName = cut(name, to: limit) }
        body.outcomeDetail = body.outcomeDetail.map { cut($0, to: limit) }
        body.target = body.target.map { RecordTarget(type: cut($0.type, to: limit), id: cut($0.id, to: limit)) }
        body.details = body.details.mapValues { cut($0, to: limit) }
        return body
    }

    private static func cut(_ value: RecordValue, to limit: Int) -> RecordValue {
        switch value {
        case .null, .bool, .integer, .withheld, .personal: value
        case .string(let text): .string(cut(text, to: limit))
        case .array(let elements): .array(elements.map { cut($0, to: limit) })
        case .object(let members): .object(members.mapValues { cut($0, to: limit) })
        }
    }

    /// Returns the beginning of `text`, in whole Unicode scalars, followed by the ellipsis: at most `limit` bytes.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit - ellipsis.utf8.count)
        while UTF8.isContinuation(text.utf8[end]) { end = text.utf8.index(before: end) }
        return text[..<end] + ellipsis
    }

    /// Returns the body with as many details as fit, starting with the smallest.
    private static func withSmallestDetails(_ body: RecordBody) -> RecordBody {
        let keys = body.details.filter { $0.key != marker }.map { (key: $0.key, size: size(of: $0.value) + $0.key.utf8.count) }
            .sorted { $0.size != $1.size ? $0.size < $1.size : CanonicalJSON.precedes($0.key, $1.key) }
            .map(\.key)
        // Binary search for the number of details that fit, as each attempt encodes the record.
        var (fitting, tooMany) = (0, keys.count)
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            if fits(keeping(keys[..<middle], of: body)) { fitting = middle } else { tooMany = middle }
        }
        return keeping(keys[..<fitting], of: body)
    }

    private static func keeping(_ keys: ArraySlice<String>, of body: RecordBody) -> RecordBody {
        var kept = body
        kept.details = [marker: .bool(true)]
        for key in keys { kept.details[key] = body.details[key] }
        return kept
    }

    /// Returns the approximate size of a value in bytes, to sort the details.
    private static func size(of value: RecordValue) -> Int {
        switch value {
        case .null, .bool: 5
        case .integer: 8
        case .withheld, .personal: 120
        case .string(let text): text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + size(of: $1) + 1 }
        case .object(let members): members.reduce(2) { $0 + size(of: $1.value) + $1.key.utf8.count + 4 }
        }
    }
}
