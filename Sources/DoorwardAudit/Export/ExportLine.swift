import Crypto
import DoorwardDomain
import Glibc

/// A line of an export after the first one, verified as far as it can be without the other lines.
enum ExportLine: Sendable {
    /// A record whose parts agree with each other.
    case record(seq: UInt64, at: Int64, leaf: Digest32, proof: [Digest32])
    /// The last line, with the number of records.
    case end(UInt64)
    /// A line with a fault; `seq` is the number that it states, if it is readable.
    case fault(ExportFault.Problem, seq: UInt64?)

    /// The number of hashes in the longest proof.
    private static let maxHashes = 63

    /// Reads and verifies lines of one log.
    struct Reader {
        private let log: [UInt8]
        private var personal: [DisclosedValue?] = []

        init(log: LogID) { self.log = Array(log.description.utf8) }

        mutating func line(_ line: UnsafeBufferPointer<UInt8>) -> ExportLine {
            var scanner = LineScanner(line)
            if scanner.skip("{\"records\":") {
                guard let count = scanner.number(), scanner.skip("}"), scanner.isAtEnd else {
                    return .fault(.malformed, seq: nil)
                }
                return .end(count)
            }
            var seq: UInt64?
            do throws(ExportFault.Problem) {
                return try record(&scanner, &seq)
            } catch {
                return .fault(error, seq: seq)
            }
        }

        private mutating func record(_ scanner: inout LineScanner, _ seq: inout UInt64?) throws(ExportFault.Problem) -> ExportLine
        {
            guard scanner.skip("{\"seq\":"), let number = scanner.number() else { throw .malformed }
            seq = number
            guard scanner.skip(",\"leafHash\":"), let leaf = scanner.hash(), scanner.skip(",\"proof\":[") else {
                throw .malformed
            }
            let proof = try proof(&scanner)
            guard scanner.skip(",\"bytes\":") else { throw .malformed }
            guard let bytes = scanner.base64(), scanner.skip(",\"personal\":[") else { throw .malformed }
            try readPersonal(&scanner)
            guard scanner.skip(",\"record\":") else { throw .malformed }
            guard Digest32(leaf: bytes) == leaf else { throw .wrongLeafHash }
            var object = RecordObject(log: log, text: TextComparison(with: scanner.rest))
            try bytes.withUnsafeBufferPointer { bytes throws(ExportFault.Problem) in
                try object.append(bytes, personal: personal)
            }
            guard object.seq == number else { throw .wrongSeq(object.seq) }
            guard object.text.isSame, scanner.skip(object.text.count), scanner.skip("}"), scanner.isAtEnd else {
                throw .wrongFields
            }
            return .record(seq: number, at: object.at, leaf: leaf, proof: proof)
        }

        private func proof(_ scanner: inout LineScanner) throws(ExportFault.Problem) -> [Digest32] {
            if scanner.skip("]") { return [] }
            var hashes: [Digest32] = []
            repeat {
                guard hashes.count < maxHashes, let hash = scanner.hash() else { throw .malformed }
                hashes.append(hash)
            } while scanner.skip(",")
            guard scanner.skip("]") else { throw .malformed }
            return hashes
        }

        private mutating func readPersonal(_ scanner: inout LineScanner) throws(ExportFault.Problem) {
            personal.removeAll(keepingCapacity: true)
            if scanner.skip("]") { return }
            repeat {
                if scanner.skip("null") {
                    personal.append(nil)
                } else {
                    guard scanner.skip("["), let value = scanner.string(), scanner.skip(","), let salt = scanner.hash(),
                        scanner.skip("]")
                    else { throw .malformed }
                    personal.append(DisclosedValue(value: value, salt: salt))
                }
            } while scanner.skip(",")
            guard scanner.skip("]") else { throw .malformed }
        }
    }
}

/// Scans a line of an export, in which every value has exactly one notation.
struct LineScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were not scanned yet.
    var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[position...]) }

    /// Skips bytes of the rest.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - position else { return false }
        position += count
        return true
    }

    mutating func skip(_ text: StaticString) -> Bool { skip(text.utf8) }

    private mutating func skip(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = position + text.count
        guard end <= bytes.count else { return false }
        if let start = bytes.baseAddress, let text = text.baseAddress, memcmp(start + position, text, end - position) != 0 {
            return false
        }
        position = end
        return true
    }

    /// A whole number in decimal, less than 2^63.
    mutating func number() -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            guard position - start < 19 else { return nil }
            value = value * 10 + UInt64(bytes[position] - 0x30)
            position += 1
        }
        guard position > start, position == start + 1 || bytes[start] != 0x30, value <= UInt64(Int64.max) else { return nil }
        return value
    }

    /// The characters between quotation marks, without any escape.
    mutating func plainString() -> UnsafeBufferPointer<UInt8>? {
        guard skip("\"") else { return nil }
        let rest = rest
        guard let end = rest.firstOffset(of: UInt8(ascii: "\"")) else { return nil }
        position += end + 1
        return UnsafeBufferPointer(rebasing: rest[..<end])
    }

    /// Bytes in canonical base64.
    mutating func base64() -> [UInt8]? {
        // stream-safe: base64 is ASCII; any other text is rejected.
        plainString().flatMap { SignedNote.base64(String(decoding: $0, as: UTF8.self)) }
    }

    /// 32 bytes in base64.
    mutating func hash() -> Digest32? {
        base64().flatMap { $0.count == MerkleTree.hashByteCount ? $0.withUnsafeBytes { Digest32($0) } : nil }
    }

    /// A string as RFC 8785 writes it.
    mutating func string() -> String? {
        let start = position
        guard let plain = plainString() else { return nil }
        if plain.allSatisfy({ $0 >= 0x20 && $0 < 0x80 && $0 != UInt8(ascii: "\\") }) {
            return String(decoding: plain, as: UTF8.self)
        }
        position = start
        return escapedString()
    }

    private mutating func escapedString() -> String? {
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < bytes.count, var scanner = CanonicalJSONScanner(Array(bytes[position...end])[...]),
            let text = scanner.string(),
            scanner.isAtEnd
        else { return nil }
        position = end + 1
        return text
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first occurrence of a byte.
    func firstOffset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, CInt(byte), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
}

/// A personal value of a record and its salt; with both, anyone can check the value against its commitment in the record.
package struct DisclosedValue: Hashable, Sendable {
    /// The value.
    package let value: String
    /// The salt of the commitment.
    package let salt: Digest32
    /// The commitment that value and salt were verified against, so that they need not be verified again; `nil` if they were not.
    let verified: Digest32?

    package init(value: String, salt: Digest32) { (self.value, self.salt, verified) = (value, salt, nil) }

    /// - Parameter verified: the commitment to this value with this salt.
    fileprivate init(value: String, salt: Digest32, verified: Digest32) {
        (self.value, self.salt, self.verified) = (value, salt, verified)
    }
}

extension PersonalCommitment {
    /// Decrypts the value, derives its salt, and verifies both against the commitment.
    package func disclosed(
        _ sealed: ArraySlice<UInt8>, under key: PersonKey
    ) throws(PersonalValueError) -> DisclosedValue {
        let (salt, value) = (place.salt(under: key), try place.open(sealed, under: key))
        guard PersonalFieldPath.commitment(to: value, in: place.field, salt: salt) == commitment else {
            throw .commitmentMismatch(field: place.field)
        }
        return DisclosedValue(value: value, salt: salt, verified: commitment)
    }
}

/// A record as an export contains it: the bytes, and the personal values that the reader may see.
package struct DisclosedRecord: Hashable, Sendable {
    /// The record's number in the log.
    package let seq: UInt64
    /// The canonical bytes.
    package let bytes: [UInt8]
    /// The stored leaf hash.
    package let leafHash: Digest32
    /// The values of the record's commitments in the order of the record; `nil` for one that is erased or withheld.
    package let personal: [DisclosedValue?]

    package init(seq: UInt64, bytes: [UInt8], leafHash: Digest32, personal: [DisclosedValue?]) {
        (self.seq, self.bytes, self.leafHash, self.personal) = (seq, bytes, leafHash, personal)
    }
}
