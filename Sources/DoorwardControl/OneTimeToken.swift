import Crypto
internal import DoorwardDomain
import FoundationEssentials

/// Tokens that prove something by being known: 256 random bits, of which the store keeps a digest alone.
enum OneTimeToken {
    /// A new one: base64 in the alphabet for URLs, without padding (RFC 4648, section 5).
    static func new(_ random: RandomSource) -> Secret<String> {
        let text = Data(random.bytes(32)).base64EncodedString()
        return Secret(String(text.compactMap { $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }

    /// SHA-256: a token has no need of a slow hash, since nobody guesses it.
    static func digest(of token: Secret<String>) -> [UInt8] { Array(SHA256.hash(data: Data(token.reveal().utf8))) }
}
