internal import DoorwardDomain

/// The text of a message, read as JSON at most once.
struct Payload: Sendable {
    enum Document: Sendable {
        case text(String)
        case json(JSONText)
        case broken
    }

    /// 64 KiB: no lock says more.
    static let longest = 65_536

    /// Stream-safe, see `StreamSafeText`; `document` is read from what was published.
    let text: String
    /// `nil` where it is none.
    private let document: JSONText?
    private let looksLikeJSON: Bool

    /// - Returns: `nil` for what is too long, or not UTF-8.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.text = text.streamSafe
        document = JSONText(text)
        looksLikeJSON = bytes.first.map { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains($0) } ?? false
    }

    /// Whether it is a JSON object, or means to be one.
    var isObject: Bool {
        if case .object? = document { return true }
        return document == nil && looksLikeJSON
    }

    func json(as source: ValueReader.Source) -> Document {
        if source == .raw || (source == .jsonOrRaw && !looksLikeJSON) { return .text(text) }
        return document.map { .json($0) } ?? .broken
    }
}
