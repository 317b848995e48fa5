import Crypto
import DoorwardDomain
import FoundationEssentials

/// The location of a personal value: a record and a field. It is known before the record has a position in its log.
///
/// `field` is `actorName`, `clientAddress`, `statedReason`, `override.reason`, or a path into the details such as
/// `details.after.email` or `details.names[0]`; it is unique in its record. The formulas are those of docs/log-format.md,
/// section "Personal values".
package struct PersonalFieldPath: Hashable, Sendable {
    /// The record's id. A key is valid for one log only, so the log needs no mention.
    package let record: RecordID
    /// The field name described above; contains no zero byte.
    package let field: String

    package init(record: RecordID, field: String) { (self.record, self.field) = (record, field) }

    /// Returns the salt of the commitment. The salt can be computed only with the key; without the salt, the commitment reveals
    /// nothing about the value.
    package func salt(under key: PersonKey) -> Digest32 { key.salting.code(of: tuple) }

    /// Returns the commitment that the record contains instead of `value`.
    package func commitment(to value: String, salt: Digest32) -> Digest32 {
        Self.commitment(to: value, in: field, salt: salt)
    }

    /// Returns the commitment to a value in the field with this name.
    static func commitment(to value: String, in field: String, salt: Digest32) -> Digest32 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + field.utf8.count + MerkleTree.hashByteCount + value.utf8.count)
        bytes.append("doorward/pii/1\0")
        bytes.append(string: field)
        bytes.append(0)
        salt.withBytes { bytes.append(contentsOf: $0) }
        bytes.append(string: value)
        return Digest32(SHA256.hash(data: bytes))
    }

    /// Encrypts `value` with AES-256-GCM, and returns nonce (12 bytes), ciphertext and tag (16
    /// bytes). The location is authenticated data.
    ///
    /// The nonce is a prefix of the commitment, which is a hash of the location's salt and the value. The nonce therefore differs
    /// for each location, and for each value at one location. If a record is sealed again, another value gets another nonce, and the
    /// same value the same ciphertext. Salts are unpredictable without the key, so an attacker cannot search for two values with equal nonces. A random collision is likely only after
    /// about 2^48 values under one key. A nonce need not be secret.
    func seal(_ value: String, commitment: Digest32, under key: PersonKey) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: commitment.bytes[..<12])
        let box = try AES.GCM.seal(Array(value.utf8), using: key.sealing, nonce: nonce, authenticating: tuple)
        // The combined form exists for every 12-byte nonce.
        guard let bytes = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(bytes)
    }

    /// The location as bytes: `id ‖ 0x00 ‖ field`, with the id as the record contains it: as text. These bytes are unique for each
    /// location, because neither contains a zero byte.
    private var tuple: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(46 + field.utf8.count)
        bytes.append(id: record)
        bytes.append(0)
        bytes.append(contentsOf: field.utf8)
        return bytes
    }

    /// Decrypts `sealed`; fails unless it was encrypted for this location under `key`.
    func open(_ sealed: ArraySlice<UInt8>, under key: PersonKey) throws(PersonalValueError) -> String {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key.sealing, authenticating: tuple)
        else { throw .doesNotOpen(field: field) }
        // Bytes that are not UTF-8 were never sealed: they become a value that its commitment does not match.
        return bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// The reason why a personal value could not be read. It names the field, never the value.
package enum PersonalValueError: Error, Equatable, Sendable {
    /// The encrypted value was altered, belongs to another location, or was encrypted under another key.
    case doesNotOpen(field: String)
    /// The value was decrypted, but is not the value that the record commits to.
    case commitmentMismatch(field: String)
}
