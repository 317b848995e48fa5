import DoorwardDomain
import Glibc
import Synchronization

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
        record.leafHash.withBytes { Base64.append($0, to: &text) }
        text.append("\",\"proof\":[")
        for (index, hash) in proof.enumerated() {
            text.append(index > 0 ? ",\"" : "\"")
            hash.withBytes { Base64.append($0, to: &text) }
            text.append(UInt8(ascii: "\""))
        }
        text.append("],\"bytes\":\"")
        Base64.append(record.bytes, to: &text)
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
            disclosed.salt.withBytes { Base64.append($0, to: &text) }
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

    /// Reads a line without its line break.
    ///
    /// - Returns: `nil` unless the line is exactly that of a header.
    package init?(parsing line: [UInt8]) {
        guard var scanner = CanonicalJSONScanner(line[...]), scanner.skip("{\"format\":"), scanner.string() == Self.format,
            scanner.skip(",\"complete\":")
        else { return nil }
        let isComplete = scanner.skip("true")
        guard isComplete || scanner.skip("false"), scanner.skip(",\"logId\":"), let log = scanner.string().flatMap({ LogID($0) })
        else { return nil }
        var range: Range<UInt64>?
        if isComplete {
            guard scanner.skip(",\"from\":"), let from = scanner.integer(), scanner.skip(",\"until\":"),
                let until = scanner.integer(), from >= 0, from < until
            else { return nil }
            range = UInt64(from)..<UInt64(until)
        }
        guard scanner.skip(",\"checkpoint\":"), let checkpoint = scanner.string(), scanner.skip(",\"publicKey\":"),
            let publicKey = scanner.string(), scanner.skip("}"), scanner.isAtEnd
        else { return nil }
        self.init(log: log, range: range, checkpoint: checkpoint, publicKey: publicKey)
        // A log id has other spellings, which no gateway writes.
        guard self.line.dropLast().elementsEqual(line) else { return nil }
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
        fileprivate func disclosed(_ known: KnownValues) -> DisclosedValue? {
            let candidate = known.value(of: commitment)
            guard let disclosed = try? commitment.disclosed(ciphertext, under: key, candidate: candidate) else { return nil }
            if disclosed.value != candidate { known.note(disclosed.value, of: commitment) }
            return disclosed
        }
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

    /// Decrypts the values that are not known. A value that cannot be decrypted, or does not match its commitment, is omitted.
    package func disclosed(_ known: KnownValues = KnownValues()) -> DisclosedRecord {
        DisclosedRecord(seq: seq, bytes: bytes, leafHash: leafHash, personal: values.map { $0?.disclosed(known) })
    }
}

/// The last value of each person's field in an export. Most records of a person have the same name and address as the one before,
/// which the commitment proves in less time than it takes to decrypt the value.
package final class KnownValues: Sendable {
    private struct Key: Hashable {
        let owner: PersonKeyOwner
        let field: String
    }

    private let values = Mutex<[Key: String]>([:])

    /// The most values, and the most bytes of a value with the name of its field: about a megabyte in all.
    private static let (maxCount, maxByteCount) = (4096, 128)

    package init() {}

    fileprivate func value(of commitment: PersonalCommitment) -> String? {
        values.withLock { $0[Key(owner: commitment.owner, field: commitment.place.field)] }
    }

    fileprivate func note(_ value: String, of commitment: PersonalCommitment) {
        guard value.utf8.count + commitment.place.field.utf8.count <= Self.maxByteCount else { return }
        values.withLock { values in
            if values.count >= Self.maxCount { values = [:] }
            values[Key(owner: commitment.owner, field: commitment.place.field)] = value
        }
    }
}

/// Receives the text of an export piece by piece.
protocol TextOutput {
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

/// Compares a text with the one that is expected, and stores neither.
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

/// Base64 with padding (RFC 4648, section 4) between byte buffers. Foundation's needs a `Data` and a `String` for each value, which
/// takes longer than to verify the value.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The two characters of each number of 12 bits, in the order in which a little-endian number is stored.
    private static let pairs: [UInt16] = (0..<64 * 64).map {
        UInt16(littleEndian: UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8)
    }
    /// The value of each character, shifted to its place in a group of four: 256 values for each place. Other bytes are `invalid`.
    private static let values: [UInt32] = {
        var values = [UInt32](repeating: invalid, count: 4 * 256)
        for (value, character) in alphabet.enumerated() {
            for place in 0..<4 { values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        return values
    }()
    private static let invalid: UInt32 = 1 << 24

    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (bytes.count + 2) / 3 * 4))
        text.withUnsafeMutableBytes { text in
            pairs.withUnsafeBufferPointer { pairs in
                var (index, end) = (0, start)
                while index + 3 <= bytes.count {
                    let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                    text.storeBytes(of: pairs[group >> 12], toByteOffset: end, as: UInt16.self)
                    text.storeBytes(of: pairs[group & 0xFFF], toByteOffset: end + 2, as: UInt16.self)
                    (index, end) = (index + 3, end + 4)
                }
                let rest = bytes.count - index
                guard rest > 0 else { return }
                let group = Int(bytes[index]) << 16 | (rest == 2 ? Int(bytes[index + 1]) << 8 : 0)
                text.storeBytes(of: pairs[group >> 12], toByteOffset: end, as: UInt16.self)
                if rest == 2 { text[end + 2] = alphabet[group >> 6 & 63] }
            }
        }
    }

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) { bytes.withUnsafeBufferPointer { append($0, to: &text) } }

    /// Appends the decoded bytes.
    ///
    /// - Returns: false unless `text` is the one spelling of some bytes.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: text.count / 4 * 3))
        let count = bytes.withUnsafeMutableBufferPointer {
            decode(text, into: UnsafeMutableBufferPointer(rebasing: $0[start...]))
        }
        guard let count else { return false }
        bytes.removeLast(bytes.count - start - count)
        return true
    }

    /// Writes the decoded bytes at the beginning of a buffer.
    ///
    /// - Returns: their number; `nil` unless `text` is the one spelling of some bytes, and they fit into the buffer.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard text.count % 4 == 0, let last = text.last else { return text.isEmpty ? 0 : nil }
        let padding = last != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let (groups, count) = (text.count / 4 - 1, text.count / 4 * 3 - padding)
        guard count <= bytes.count else { return nil }
        return values.withUnsafeBufferPointer { values in
            func value(_ index: Int, _ place: Int) -> UInt32 { values[place * 256 + Int(text[index + place])] }
            var all: UInt32 = 0
            for index in 0..<groups {
                let at = index * 4
                let group = value(at, 0) | value(at, 1) | value(at, 2) | value(at, 3)
                all |= group
                bytes[index * 3] = UInt8(truncatingIfNeeded: group >> 16)
                bytes[index * 3 + 1] = UInt8(truncatingIfNeeded: group >> 8)
                bytes[index * 3 + 2] = UInt8(truncatingIfNeeded: group)
            }
            var group: UInt32 = 0
            for place in 0..<4 - padding { group |= value(groups * 4, place) }
            // The bits after the last byte are zero in the one spelling.
            guard (all | group) < invalid, group & (1 << UInt32(8 * padding) - 1) == 0 else { return nil }
            for index in 0..<3 - padding {
                bytes[groups * 3 + index] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
            }
            return count
        }
    }
}
