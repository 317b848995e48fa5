internal import Crypto
package import DoorwardDomain
internal import FoundationEssentials

/// The gateway's Ed25519 key for access tokens (RFC 8037); further keys are derived from it.
package struct TokenKey: Sendable {
    let signing: Curve25519.Signing.PrivateKey

    /// Generates a new key.
    ///
    /// - Throws: never, as any 32 bytes are a key (RFC 8032, section 5.1.5).
    package init(random: RandomSource) throws { try self.init(rawRepresentation: Secret(random.bytes(32))) }

    /// Restores a stored key.
    ///
    /// - Throws: if `rawRepresentation` is not 32 bytes.
    package init(rawRepresentation: Secret<[UInt8]>) throws {
        signing = try Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation.reveal())
    }

    /// The 32 bytes of the private key, to be stored in a file of mode 0600.
    package var rawRepresentation: Secret<[UInt8]> { Secret(Array(signing.rawRepresentation)) }

    /// The 32 bytes of the public key.
    package var publicRepresentation: [UInt8] { Array(signing.publicKey.rawRepresentation) }

    /// `kid` of the tokens: the first 8 bytes of SHA-256 of the public key, in hexadecimal.
    var keyID: String { Array(SHA256.hash(data: signing.publicKey.rawRepresentation).prefix(8)).hexadecimal }

    /// Derives a key of 32 bytes for a purpose outside this module; see `derivedKey`.
    package func derivedBytes(for purpose: String) -> Secret<[UInt8]> {
        Secret(derivedKey(for: purpose).withUnsafeBytes { Array($0) })
    }

    /// Derives a key for another purpose (HKDF-SHA-256, RFC 5869), with `purpose` as the info.
    func derivedKey(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: signing.rawRepresentation), info: Array(purpose.utf8), outputByteCount: 32)
    }
}
