internal import DoorwardDomain

/// The `device` block: what the lock's housing is.
struct HomeAssistantDevice {
    var name: String?
    var manufacturer: String?
    var model: String?
    /// At least one of these or a connection is there.
    var identifiers: [String]

    /// - Parameter value: with short or full keys.
    /// - Returns: `nil` where the block is none, or names neither identifiers nor connections.
    init?(_ value: JSONValue) {
        guard let fields = value.object?.expanded(Abbreviations.device) else { return nil }
        identifiers = fields["identifiers"]?.listed.compactMap(\.word) ?? []
        let connections = fields["connections"]?.array ?? []
        guard !identifiers.isEmpty || !connections.isEmpty else { return nil }
        name = fields["name"]?.word
        manufacturer = fields["manufacturer"]?.word
        model = fields["model"]?.word
    }
}

/// The `origin` block: which program announces.
struct HomeAssistantOrigin {
    var name: String

    /// - Returns: `nil` where the block is none, or has no name.
    init?(_ value: JSONValue) {
        guard let name = value.object?.expanded(Abbreviations.origin)["name"]?.word, !name.isEmpty else { return nil }
        self.name = name
    }
}

extension JSONValue {
    /// As Home Assistant takes a text: numbers and truth values count as their Python text (`True`), so `"payload_lock": 255` is
    /// the word `255`.
    var word: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let isTrue): isTrue ? "True" : "False"
        case .null, .array, .object: nil
        }
    }

    /// As Home Assistant takes a list: one value alone is a list of it.
    var listed: [JSONValue] { array ?? [self] }
}
