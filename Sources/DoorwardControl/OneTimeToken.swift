import Crypto
internal import DoorwardDomain
import FoundationEssentials

/// Bearer tokens of 256 random bits. The store keeps only a digest of each token.
enum OneTimeToken {
    private static let byteCount = 32
    /// The number of characters of a token.
    private static let length = 43

    /// Generates a token, in the alphabet of `Base64URL`.
    static func new(_ random: RandomSource) -> Secret<String> {
        Secret(Base64URL.encode(random.bytes(byteCount)))
    }

    /// The token in a text that people hand on, without what cannot be part of it: chat programs add punctuation to links.
    ///
    /// - Returns: `nil` if no token begins the text. Such a text is a mistake and no guess, so it is not counted as one.
    static func wellFormed(_ text: Secret<String>) -> Secret<String>? {
        let token = text.reveal().utf8.prefix(length)
        return Base64URL.decode(token)?.count == byteCount ? Secret(String(decoding: token, as: UTF8.self)) : nil
    }

    /// The URL of a page of the gateway that uses a token. The token is in the fragment, which browsers do not send to servers, so
    /// it appears in no server log.
    ///
    /// - Parameter base: such as `https://locks.example.org`, with or without a trailing slash; `nil` returns the path only.
    static func url(of page: String, _ token: Secret<String>, under base: String?) -> Secret<String> {
        var base = base ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        return Secret("\(base)/\(page)#token=\(token.reveal())")
    }

    /// The SHA-256 digest; a random token cannot be guessed, so it needs no slow hash.
    static func digest(of token: Secret<String>) -> [UInt8] { Array(SHA256.hash(data: Data(token.reveal().utf8))) }
}
