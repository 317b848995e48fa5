internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain

/// Makes and reads the opaque cursors of access records. A cursor is valid for the caller and the filters that it was made for.
///
/// A cursor is encrypted with AES-256-GCM: otherwise its position would reveal how many records the log has, which the caller may
/// not learn. All cursors have the same length.
struct Cursors: Sendable {
    private let key: SymmetricKey
    private let random: RandomSource

    /// Bytes of a position: `at`, `seq`, a byte that is set for the log of a portfolio, and the portfolio's id.
    private static let placeBytes = 8 + 8 + 1 + 16
    /// Bytes of a cursor, including the nonce and the tag of AES-GCM.
    private static let sealedBytes = 12 + placeBytes + 16

    /// - Parameter random: the source of the nonces.
    init(key: SymmetricKey, random: RandomSource) { (self.key, self.random) = (key, random) }

    /// - Parameter scope: the caller, filters and order that the cursor is bound to.
    /// - Throws: errors of the cipher. No position causes one.
    func cursor(after place: RecordPosition, scope: String) throws -> String {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let sealed = try AES.GCM.seal(Self.bytes(of: place), using: key, nonce: nonce, authenticating: Array(scope.utf8))
        return Base64URL.encode(Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
    }

    /// - Returns: `nil` for a text that `cursor` did not make for this scope.
    func place(_ cursor: String, scope: String) -> RecordPosition? {
        guard cursor.utf8.count <= 2 * Self.sealedBytes, let bytes = Base64URL.decode(cursor.utf8),
            bytes.count == Self.sealedBytes,
            // Several texts can decode to the same bytes; only the canonical one is accepted.
            Base64URL.encode(bytes) == cursor, let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Array(scope.utf8))
        else { return nil }
        return Self.place(Array(opened))
    }

    private static func bytes(of place: RecordPosition) -> [UInt8] {
        let portfolio: PortfolioID? = if case .portfolio(let id) = place.log { id } else { nil }
        let words = [UInt64(bitPattern: place.at.milliseconds), place.seq, portfolio?.high ?? 0, portfolio?.low ?? 0]
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        return bytes[..<16] + [portfolio == nil ? 0 : 1] + bytes[16...]
    }

    private static func place(_ bytes: [UInt8]) -> RecordPosition? {
        guard bytes.count == placeBytes else { return nil }
        func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let log: LogID = bytes[16] == 0 ? .gateway : .portfolio(PortfolioID(high: word(17), low: word(25)))
        return RecordPosition(log: log, seq: word(8), at: Timestamp(milliseconds: Int64(bitPattern: word(0))))
    }
}
