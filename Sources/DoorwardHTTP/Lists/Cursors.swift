internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain

/// Makes and reads the opaque cursors of access records. A cursor is good for the caller and the filters it was made for.
struct Cursors: Sendable {
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// - Parameter scope: whatever the cursor is bound to: caller, filters, order.
    func cursor(after place: RecordPlace, scope: String) -> String {
        let text = "\(place.at.milliseconds)/\(place.seq)/\(place.log)"
        return Base64URL.encode(tag(of: text, scope) + Array(text.utf8))
    }

    /// - Returns: `nil` for a text that `cursor` has not made for this scope.
    func place(_ cursor: String, scope: String) -> RecordPlace? {
        guard cursor.utf8.count <= 256, let bytes = Base64URL.decode(cursor.utf8), bytes.count > 16,
            let text = String(validating: bytes.dropFirst(16), as: UTF8.self), isTag(bytes.prefix(16), of: text, scope)
        else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let at = Int64(parts[0]), let seq = UInt64(parts[1]), let log = LogID(String(parts[2]))
        else { return nil }
        return RecordPlace(log: log, seq: seq, at: Timestamp(milliseconds: at))
    }

    /// The first half of an HMAC-SHA-256.
    private func tag(of text: String, _ scope: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("\(scope)\u{0}\(text)".utf8), using: key).prefix(16))
    }

    private func isTag(_ tag: ArraySlice<UInt8>, of text: String, _ scope: String) -> Bool {
        // Without an early end, so that time tells nothing of the right tag.
        zip(tag, self.tag(of: text, scope)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
