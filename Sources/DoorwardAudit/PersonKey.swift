import Crypto
import DoorwardDomain
import FoundationEssentials

/// The owner of a key that encrypts personal values. An owner has a separate key in each log.
package enum PersonKeyOwner: Hashable, Sendable {
    /// A user. The key encrypts all of the user's personal values in the log. Erasing the person destroys the key.
    case user(UserID)
    /// The UTC day of the record's `at`, as `YYYY-MM-DD`. The key encrypts values that belong to no known user.
    case day(String)

    /// Returns the day of `instant` in UTC.
    package static func day(of instant: Timestamp) -> Self {
        let (days, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return .day(CivilDate(daysSinceEpoch: rest < 0 ? days - 1 : days).description)
    }
}

/// The random 256-bit key of one owner in one log. Once all copies of the key are destroyed, the owner's values and the salts of
/// their commitments cannot be recovered, even from copies of the log. The key's description is masked.
///
/// Deriving keys from the bytes takes about as long as encrypting a value, so callers should keep
/// the `PersonKey` rather than its bytes.
package struct PersonKey: Sendable {
    /// The length of a key.
    package static let byteCount = 32

    private let secret: Secret<Material>

    /// A class, because keys are copied for each value of an export.
    private final class Material: Sendable {
        let bytes: [UInt8]
        /// HMAC-SHA256 of the key itself, which computes salts.
        let salting: KeyedHash
        /// The derived key for AES-256-GCM. It differs from the HMAC key, so that no two primitives use the same key.
        let sealing: SymmetricKey

        init(_ bytes: [UInt8]) {
            let key = SymmetricKey(data: bytes)
            let derived = HMAC<SHA256>.authenticationCode(for: Array("doorward/seal/1".utf8), using: key)
            (self.bytes, salting, sealing) = (bytes, KeyedHash(key: bytes), SymmetricKey(data: derived))
        }
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(material: bytes)
    }

    /// Creates a new key. In the running gateway, `random` must be a cryptographic source.
    package init(using random: inout some RandomNumberGenerator) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for _ in 0..<Self.byteCount / 8 { bytes.append(bigEndian: random.next()) }
        self.init(material: bytes)
    }

    private init(material bytes: [UInt8]) { secret = Secret(Material(bytes)) }

    /// Returns the 32 bytes of the key. Only code that stores the key may call this.
    package func revealBytes() -> [UInt8] { secret.reveal().bytes }

    var salting: KeyedHash { secret.reveal().salting }
    var sealing: SymmetricKey { secret.reveal().sealing }
}

extension PersonKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { secret.description }
    package var debugDescription: String { secret.debugDescription }
    package var customMirror: Mirror { secret.customMirror }
}

/// HMAC-SHA256 (RFC 2104) under one key, for many short messages. The library's `HMAC` takes twice the time for a message of a few
/// dozen bytes (docs/performance.md, section "Exports and their verification").
struct KeyedHash: Sendable {
    /// The states after the padded keys, which are the same for all messages.
    private let (inner, outer): (SHA256, SHA256)

    /// - Parameter key: at most 64 bytes, the block of SHA-256.
    init(key: [UInt8]) {
        func state(_ pad: UInt8) -> SHA256 {
            var hash = SHA256()
            hash.update(data: key.map { $0 ^ pad } + repeatElement(pad, count: SHA256.blockByteCount - key.count))
            return hash
        }
        (inner, outer) = (state(0x36), state(0x5C))
    }

    /// The authentication code of a message.
    func code(of message: [UInt8]) -> Digest32 {
        var (hash, last) = (inner, outer)
        message.withUnsafeBytes { hash.update(bufferPointer: $0) }
        hash.finalize().withUnsafeBytes { last.update(bufferPointer: $0) }
        return Digest32(last.finalize())
    }
}

/// A record's commitment to a personal value, which is stored beside the record.
package struct PersonalCommitment: Hashable, Sendable {
    /// The record and field of the value.
    package let place: PersonalFieldPath
    /// The owner, in that log, of the key that encrypts the value.
    package let owner: PersonKeyOwner
    /// SHA-256 over field, salt and value.
    package let commitment: Digest32

    package init(place: PersonalFieldPath, owner: PersonKeyOwner, commitment: Digest32) {
        (self.place, self.owner, self.commitment) = (place, owner, commitment)
    }

    /// Decrypts the value and verifies it against the commitment.
    package func open(_ sealed: ArraySlice<UInt8>, under key: PersonKey) throws(PersonalValueError) -> String {
        try disclosed(sealed, under: key).value
    }
}

/// An encrypted personal value, as it is stored beside its record.
package struct SealedValue: Hashable, Sendable {
    /// The field of the record, unique within it.
    package let field: String
    /// The owner, in the record's log, of the key that encrypts the value.
    package let owner: PersonKeyOwner
    /// Nonce, ciphertext and tag of AES-256-GCM.
    package let ciphertext: [UInt8]

    package init(field: String, owner: PersonKeyOwner, ciphertext: [UInt8]) {
        (self.field, self.owner, self.ciphertext) = (field, owner, ciphertext)
    }
}
