import Crypto
internal import DoorwardDomain
import FoundationEssentials

/// Bearer tokens of 256 random bits. The store keeps only a digest of each token.
enum OneTimeToken {
    /// Generates a token, in the alphabet of `Base64URL`.
    static func new(_ random: RandomSource) -> Secret<String> {
        Secret(Base64URL.encode(random.bytes(32)))
    }

    /// The SHA-256 digest; a random token cannot be guessed, so it needs no slow hash.
    static func digest(of token: Secret<String>) -> [UInt8] { Array(SHA256.hash(data: Data(token.reveal().utf8))) }
}
