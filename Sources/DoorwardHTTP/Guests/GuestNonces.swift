internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain

/// The one-use nonces of the buttons on guest pages.
///
/// A nonce is not stored: it authenticates the link, the device, the operation and its own expiry with an HMAC. It is used once
/// because it is the idempotency key of its command, which outlives it: a second request with it gets the same command.
struct GuestNonces: Sendable {
    /// The time for which a rendered button can be used; shorter than the lifetime of idempotency keys.
    static let lifetime = Duration.seconds(3600)
    private static let (expiryBytes, randomBytes, tagBytes) = (8, 12, 16)

    private let key: SymmetricKey
    private let random: RandomSource

    init(key: SymmetricKey, random: RandomSource) { (self.key, self.random) = (key, random) }

    /// A new nonce for one button of a page.
    func nonce(for button: GuestButton, at now: Timestamp) -> String {
        let expiry = UInt64(bitPattern: now.advanced(by: Self.lifetime).milliseconds)
        let content = withUnsafeBytes(of: expiry.bigEndian, Array.init) + random.bytes(Self.randomBytes)
        return Base64URL.encode(content + tag(content, button))
    }

    /// Whether a nonce was issued for this button and has not expired.
    func isValid(_ nonce: String, for button: GuestButton, at now: Timestamp) -> Bool {
        guard nonce.utf8.count < 100, let bytes = Base64URL.decode(nonce.utf8),
            bytes.count == Self.expiryBytes + Self.randomBytes + Self.tagBytes
        else { return false }
        let content = Array(bytes.prefix(Self.expiryBytes + Self.randomBytes))
        let difference = zip(bytes.dropFirst(content.count), tag(content, button)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let expiry = content.prefix(Self.expiryBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return difference == 0 && now.milliseconds < Int64(bitPattern: expiry)
    }

    /// The idempotency key and fingerprint of the command that a nonce sends.
    func call(_ nonce: String, for button: GuestButton, by principal: Principal) -> IdempotentCall {
        IdempotentCall(
            key: IdempotencyKey(principal: principal.key, key: nonce),
            fingerprint: Array(HMAC<SHA256>.authenticationCode(for: button.bytes, using: key)))
    }

    private func tag(_ content: [UInt8], _ button: GuestButton) -> [UInt8] {
        Array(Array(HMAC<SHA256>.authenticationCode(for: button.bytes + content, using: key)).prefix(Self.tagBytes))
    }
}

/// A button of a guest page: an operation on a device, by the holder of one link.
struct GuestButton {
    /// The digest of the link's token.
    let linkDigest: [UInt8]
    /// The device's id as it is in the URL.
    let deviceID: String
    let operation: LockOperation

    /// An encoding without ambiguity: the digest has a fixed length, and no operation contains a zero byte.
    fileprivate var bytes: [UInt8] { linkDigest + Array(operation.rawValue.utf8) + [0] + Array(deviceID.utf8) + [0] }
}
