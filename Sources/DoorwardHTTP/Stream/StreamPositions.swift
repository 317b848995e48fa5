internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain

/// Makes and reads the opaque ids of events. An id is valid for the caller and the names of its stream.
///
/// Like a cursor (see `Cursors`), an id is encrypted with AES-256-GCM: its numbers would reveal how busy the gateway is. All ids
/// have the same length.
struct StreamPositions: Sendable {
    private let key: SymmetricKey
    private let random: RandomSource

    /// Bytes of a position: four words, the latest time, a byte of flags, and the entries of the logs.
    private static let positionBytes = 4 * 8 + 8 + 1 + RecordMarks.maxEntries * 13
    /// Bytes of an id, including the nonce and the tag of AES-GCM.
    private static let sealedBytes = 12 + positionBytes + 16

    /// - Parameter random: the source of the nonces.
    init(key: SymmetricKey, random: RandomSource) { (self.key, self.random) = (key, random) }

    /// What an id is bound to.
    static func scope(_ principal: Principal, names: String) -> String { "\(principal.key)\n\n\(names)" }

    /// - Throws: errors of the cipher. No position causes one.
    func id(of mark: StreamMark, scope: String) throws -> String {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let sealed = try AES.GCM.seal(Self.bytes(of: mark), using: key, nonce: nonce, authenticating: Array(scope.utf8))
        return Base64URL.encode(Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
    }

    /// - Returns: `nil` for a text that `id` did not make for this scope.
    func mark(_ id: String, scope: String) -> StreamMark? {
        guard id.utf8.count <= 2 * Self.sealedBytes, let bytes = Base64URL.decode(id.utf8), bytes.count == Self.sealedBytes,
            // Several texts can decode to the same bytes; only the canonical one is accepted.
            Base64URL.encode(bytes) == id, let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Array(scope.utf8))
        else { return nil }
        return Self.mark(Array(opened))
    }

    private static func bytes(of mark: StreamMark) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(positionBytes)
        func append(_ word: some FixedWidthInteger) { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        for word in [mark.generation, mark.stream, mark.number] { append(word) }
        append(mark.createdAt.nanoseconds)
        append(mark.records.latest.milliseconds)
        append(mark.records.isComplete ? 1 as UInt8 : 0)
        for entry in mark.records.entries.prefix(RecordMarks.maxEntries) {
            append(1 as UInt8)
            append(entry.log)
            append(entry.next)
        }
        bytes.append(contentsOf: repeatElement(0, count: positionBytes - bytes.count))
        return bytes
    }

    private static func mark(_ bytes: [UInt8]) -> StreamMark? {
        guard bytes.count == positionBytes else { return nil }
        func word(_ start: Int, _ count: Int = 8) -> UInt64 { bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) } }
        let entries = (0..<RecordMarks.maxEntries).compactMap { index -> RecordMarks.Entry? in
            let start = 41 + index * 13
            guard bytes[start] == 1 else { return nil }
            return RecordMarks.Entry(log: UInt32(truncatingIfNeeded: word(start + 1, 4)), next: word(start + 5))
        }
        let records = RecordMarks(
            entries: entries, latest: Timestamp(milliseconds: Int64(bitPattern: word(32))), isComplete: bytes[40] == 1)
        return StreamMark(
            generation: word(0), stream: word(8), number: word(16),
            createdAt: MonotonicInstant(nanoseconds: Int64(bitPattern: word(24))), records: records)
    }
}
