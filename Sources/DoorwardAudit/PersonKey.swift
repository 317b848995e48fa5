import Crypto
import DoorwardDomain
import FoundationEssentials

/// The owner of the key that encrypts a personal value. A log has one key for each owner, and shares no key with another log.
package enum PersonKeyOwner: Hashable, Sendable {
    /// A user, for all of their values in the log. Erasing the person destroys this key.
    case user(UserID)
    /// A UTC day, `YYYY-MM-DD` by the record's `at`, for values that belong to no known user.
    case day(String)

    /// The day of `instant` in UTC.
    package static func day(of instant: Timestamp) -> Self {
        let (days, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return .day(CivilDate(daysSinceEpoch: rest < 0 ? days - 1 : days).description)
    }
}

/// The random 256-bit key of one owner in one log. Once all copies of it are destroyed, the owner's values and the salts of
/// their commitments are unrecoverable, however many copies of the log exist. It prints as a mask.
///
/// Deriving from the key costs about as much as encrypting a value, so keep the `PersonKey` rather than its bytes.
package struct PersonKey: Sendable {
    /// The length of a key.
    package static let byteCount = 32

    private let secret: Secret<Material>

    private struct Material: Sendable {
        let bytes: [UInt8]
        /// Computes salts; the key itself is the HMAC key.
        let salting: HMAC<SHA256>
        /// For AES-256-GCM: a separate derived key, so that no two primitives use the same key.
        let sealing: SymmetricKey
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(material: bytes)
    }

    /// A new key. `random` must be a cryptographic source in the running gateway.
    package init(using random: inout some RandomNumberGenerator) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for _ in 0..<Self.byteCount / 8 { bytes.append(bigEndian: random.next()) }
        self.init(material: bytes)
    }

    private init(material bytes: [UInt8]) {
        let key = SymmetricKey(data: bytes)
        let sealing = HMAC<SHA256>.authenticationCode(for: Array("doorward/seal/1".utf8), using: key)
        secret = Secret(Material(bytes: bytes, salting: HMAC(key: key), sealing: SymmetricKey(data: sealing)))
    }

    /// The 32 bytes, for the code that stores the key.
    package func revealBytes() -> [UInt8] { secret.reveal().bytes }

    var salting: HMAC<SHA256> { secret.reveal().salting }
    var sealing: SymmetricKey { secret.reveal().sealing }
}

extension PersonKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { secret.description }
    package var debugDescription: String { secret.debugDescription }
    package var customMirror: Mirror { secret.customMirror }
}
