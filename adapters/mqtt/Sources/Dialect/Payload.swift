internal import DoorwardDomain

/// The text of a message, parsed as JSON at most once.
struct Payload: Sendable {
    enum Document: Sendable {
        case text(String)
        case json(JSONText)
        case malformed
    }

    /// Maximum bytes: 64 KiB, more than any lock sends.
    static let maxBytes = 65_536

    /// Stream-safe, see `StreamSafeText`; `document` is parsed from the original bytes.
    let text: String
    /// The payload as JSON; `nil` if it is no JSON.
    private let document: JSONText?
    private let looksLikeJSON: Bool

    /// - Returns: `nil` if the payload is too long, or not UTF-8.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.text = text.streamSafe
        document = JSONText(bytes)
        looksLikeJSON = bytes.first.map { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains($0) } ?? false
    }

    /// Whether the payload is a JSON object, or malformed JSON that begins as an object, a list or a string.
    var isObject: Bool {
        if case .object? = document { return true }
        return document == nil && looksLikeJSON
    }

    func json(as source: ValueReader.Source) -> Document {
        if source == .raw || (source == .jsonOrRaw && !looksLikeJSON) { return .text(text) }
        return document.map { .json($0) } ?? .malformed
    }
}
