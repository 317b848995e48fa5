import Crypto
internal import DoorwardDomain
import FoundationEssentials

/// Bearer tokens of 256 random bits, of which the store keeps only a digest.
enum OneTimeToken {
    /// Generates a token: base64 in the URL-safe alphabet, without padding (RFC 4648, section 5).
    static func new(_ random: RandomSource) -> Secret<String> {
        let text = Data(random.bytes(32)).base64EncodedString()
        return Secret(String(text.compactMap { $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }

    /// The SHA-256 digest; a random token cannot be guessed, so it needs no slow hash.
    static func digest(of token: Secret<String>) -> [UInt8] { Array(SHA256.hash(data: Data(token.reveal().utf8))) }
}
