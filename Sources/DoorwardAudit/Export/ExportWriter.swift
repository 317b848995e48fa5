import DoorwardDomain
import FoundationEssentials
import Glibc

/// Writes the lines of records as docs/log-format.md specifies them, section "Exports". They come after `ExportHeader.line` and before
/// `lastLine`. Several writers can write the parts of an export at the same time.
package struct ExportWriter: Sendable {
    /// Writes the objects of records; its text is the lines written since `take` was called last.
    private var lines: RecordObject<[UInt8]>

    /// - Parameters:
    ///   - log: the log of the records.
    ///   - byteCount: the bytes of the records that will be written, to reserve memory for their lines.
    package init(log: LogID, byteCount: Int = 0) {
        // A line has the record's bytes in base64, as a JSON object of at most twice their length, and usually one hash.
        lines = RecordObject(log: log, byteCount: byteCount * 4)
    }

    /// Returns the lines written since the last call.
    package mutating func take() -> [UInt8] {
        defer { lines.text = [] }
        return lines.text
    }

    /// Writes the line of a record.
    ///
    /// - Parameter proof: the hashes for the record in the order of `ExportProof.Plan`.
    /// - Throws: if the stored record is damaged: its bytes are not a record of the log, or a value does not match its commitment. The
    ///   line is incomplete then.
    package mutating func add(_ record: DisclosedRecord, proof: [Digest32]) throws(ExportFault.Problem) {
        Self.start(record, proof: proof, in: &lines.text)
        try lines.append(record.bytes, personal: record.personal)
        lines.text.append("}\n")
        guard lines.seq == record.seq else { throw .wrongSeq(lines.seq) }
    }

    /// Writes the line up to the object of the record.
    private static func start(_ record: DisclosedRecord, proof: [Digest32], in text: inout [UInt8]) {
        text.append("{\"seq\":")
        text.append(string: String(record.seq))
        text.append(",\"leafHash\":\"")
        record.leafHash.withBytes { text.append(base64: $0) }
        text.append("\",\"proof\":[")
        for (index, hash) in proof.enumerated() {
            text.append(index > 0 ? ",\"" : "\"")
            hash.withBytes { text.append(base64: $0) }
            text.append(UInt8(ascii: "\""))
        }
        text.append("],\"bytes\":\"")
        record.bytes.withUnsafeBufferPointer { text.append(base64: $0) }
        text.append("\",\"personal\":[")
        for (index, disclosed) in record.personal.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            guard let disclosed else {
                text.append("null")
                continue
            }
            text.append(UInt8(ascii: "["))
            CanonicalJSON.append(disclosed.value, to: &text)
            text.append(",\"")
            disclosed.salt.withBytes { text.append(base64: $0) }
            text.append("\"]")
        }
        text.append("],\"record\":")
    }

    /// The last line, without which an export is incomplete.
    ///
    /// - Parameter count: the number of all records of the export.
    package static func lastLine(count: UInt64) -> [UInt8] { Array("{\"records\":\(count)}\n".utf8) }
}

/// The first line of an export: what it contains, and the checkpoint that the records are verified with.
package struct ExportHeader: Hashable, Sendable {
    /// The log of the records.
    package let log: LogID
    /// The numbers of the records in a complete export, in which none of them is missing; `nil` for a partial export.
    package let range: Range<UInt64>?
    /// The signed checkpoint as text.
    package let checkpoint: String
    /// The public key of the checkpoint's signature, as C2SP signed-note writes it.
    package let publicKey: String

    /// The name and version of the format.
    package static let format = "doorward-export/1"

    package init(log: LogID, range: Range<UInt64>?, checkpoint: String, publicKey: String) {
        (self.log, self.range, self.checkpoint, self.publicKey) = (log, range, checkpoint, publicKey)
    }

    /// Whether the export states that no record of its range is missing.
    package var isComplete: Bool { range != nil }

    /// The line with its line break.
    package var line: [UInt8] {
        var text = Array("{\"format\":\"\(Self.format)\",\"complete\":\(isComplete),\"logId\":\"\(log)\"".utf8)
        if let range { text.append(contentsOf: ",\"from\":\(range.lowerBound),\"until\":\(range.upperBound)".utf8) }
        text.append(contentsOf: ",\"checkpoint\":".utf8)
        CanonicalJSON.append(checkpoint, to: &text)
        text.append(contentsOf: ",\"publicKey\":".utf8)
        CanonicalJSON.append(publicKey, to: &text)
        text.append(contentsOf: "}\n".utf8)
        return text
    }

    private struct Line: Decodable {
        let logId, checkpoint, publicKey: String
        let from, until: Int64?
    }

    /// Reads a line without its line break.
    ///
    /// - Returns: `nil` unless the line is exactly that of a header.
    package init?(parsing bytes: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Line.self, from: Data(bytes)), let log = LogID(read.logId) else { return nil }
        var range: Range<UInt64>?
        if let from = read.from, let until = read.until, from >= 0, from < until, DetailsFormat.integers.contains(until) {
            range = UInt64(from)..<UInt64(until)
        }
        self.init(log: log, range: range, checkpoint: read.checkpoint, publicKey: read.publicKey)
        // The decoder accepts other notations and members, which no gateway writes.
        guard line.dropLast().elementsEqual(bytes) else { return nil }
    }
}

/// A record whose personal values are still encrypted, with the keys that decrypt them. Decrypting needs no store.
package struct SealedRecord: Sendable {
    /// A value of the record, and the key that decrypts it.
    package struct Value: Sendable {
        private let commitment: PersonalCommitment
        private let ciphertext: ArraySlice<UInt8>
        private let key: PersonKey

        package init(commitment: PersonalCommitment, ciphertext: ArraySlice<UInt8>, key: PersonKey) {
            (self.commitment, self.ciphertext, self.key) = (commitment, ciphertext, key)
        }

        /// The value; `nil` if it cannot be decrypted, or does not match its commitment.
        package var disclosed: DisclosedValue? { try? commitment.disclosed(ciphertext, under: key) }
    }

    /// The record's number in the log.
    package let seq: UInt64
    /// The canonical bytes.
    package let bytes: [UInt8]
    /// The stored leaf hash.
    package let leafHash: Digest32
    /// The values of the record's commitments in their order; `nil` for one without a ciphertext or a key.
    private let values: [Value?]

    package init(seq: UInt64, bytes: [UInt8], leafHash: Digest32, values: [Value?]) {
        (self.seq, self.bytes, self.leafHash, self.values) = (seq, bytes, leafHash, values)
    }

    /// Decrypts the values. A value that cannot be decrypted, or does not match its commitment, is omitted.
    package func disclosed() -> DisclosedRecord {
        DisclosedRecord(seq: seq, bytes: bytes, leafHash: leafHash, personal: values.map { $0?.disclosed })
    }
}

/// Receives the text of an export piece by piece.
protocol TextOutput {
    /// The number of bytes so far.
    var count: Int { get }
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>)
}

extension TextOutput {
    mutating func append(_ text: StaticString) { append(contentsOf: text.utf8) }

    mutating func append(string text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}

extension [UInt8]: TextOutput {}

/// Compares a text with the expected one, piece by piece, without storing either.
struct TextComparison: TextOutput {
    private let expected: UnsafeBufferPointer<UInt8>
    /// The number of bytes that were compared.
    private(set) var count = 0
    /// Whether the expected text begins with all bytes so far.
    private(set) var isSame = true

    init(with expected: UnsafeBufferPointer<UInt8>) { self.expected = expected }

    mutating func append(_ byte: UInt8) {
        guard isSame, count < expected.count, expected[count] == byte else {
            isSame = false
            return
        }
        count += 1
    }

    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let new = bytes.baseAddress, !bytes.isEmpty else { return }
        guard isSame, let old = expected.baseAddress, bytes.count <= expected.count - count,
            memcmp(old + count, new, bytes.count) == 0
        else {
            isSame = false
            return
        }
        count += bytes.count
    }
}

extension [UInt8] {
    /// Appends bytes in base64 with padding (RFC 4648, section 4).
    fileprivate mutating func append(base64 bytes: UnsafeBufferPointer<UInt8>) {
        self += Data(buffer: bytes).base64EncodedString().utf8
    }
}
