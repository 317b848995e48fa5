import Crypto
import DoorwardDomain

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
            var scanner = CanonicalJSONScanner(line)
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

        private mutating func record(
            _ scanner: inout CanonicalJSONScanner, _ seq: inout UInt64?
        ) throws(ExportFault.Problem) -> ExportLine {
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
            try object.append(bytes, personal: personal)
            guard object.seq == number else { throw .wrongSeq(object.seq) }
            guard object.text.isSame, scanner.skip(object.text.count), scanner.skip("}"), scanner.isAtEnd else {
                throw .wrongFields
            }
            return .record(seq: number, at: object.at, leaf: leaf, proof: proof)
        }

        private func proof(_ scanner: inout CanonicalJSONScanner) throws(ExportFault.Problem) -> [Digest32] {
            if scanner.skip("]") { return [] }
            var hashes: [Digest32] = []
            repeat {
                guard hashes.count < maxHashes, let hash = scanner.hash() else { throw .malformed }
                hashes.append(hash)
            } while scanner.skip(",")
            guard scanner.skip("]") else { throw .malformed }
            return hashes
        }

        private mutating func readPersonal(_ scanner: inout CanonicalJSONScanner) throws(ExportFault.Problem) {
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
    package func disclosed(_ sealed: ArraySlice<UInt8>, under key: PersonKey) throws(PersonalValueError) -> DisclosedValue {
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
