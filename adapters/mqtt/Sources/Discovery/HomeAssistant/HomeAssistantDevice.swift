internal import DoorwardDomain

/// The `device` block: the device that the lock is part of.
struct HomeAssistantDevice {
    var name: String?
    var product: LockProduct
    /// The identifiers. There is at least one identifier or one connection.
    var identifiers: [String]

    /// - Parameter value: with short or full keys.
    /// - Returns: `nil` if it is no object, or has neither identifiers nor connections.
    init?(_ value: JSONValue) {
        guard let fields = value.object?.expanded(Abbreviations.device) else { return nil }
        identifiers = fields["identifiers"]?.asList.compactMap(\.homeAssistantText) ?? []
        let connections = fields["connections"]?.array ?? []
        guard !identifiers.isEmpty || !connections.isEmpty else { return nil }
        name = fields["name"]?.homeAssistantText
        product = LockProduct(
            manufacturer: fields["manufacturer"]?.homeAssistantText, model: fields["model"]?.homeAssistantText,
            firmwareVersion: fields["sw_version"]?.homeAssistantText)
    }
}

/// The `origin` block: the announcing program.
struct HomeAssistantOrigin {
    var name: String

    /// - Returns: `nil` if it is no object, or has no name.
    init?(_ value: JSONValue) {
        guard let name = value.object?.expanded(Abbreviations.origin)["name"]?.homeAssistantText, !name.isEmpty else {
            return nil
        }
        self.name = name
    }
}

extension JSONValue {
    /// The value as Home Assistant converts it to text: numbers and booleans as in Python (`True`), so `"payload_lock": 255` is
    /// the text `255`.
    var homeAssistantText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let isTrue): isTrue ? "True" : "False"
        case .null, .array, .object: nil
        }
    }

    /// The value as Home Assistant converts it to a list: a single value is a list of one.
    var asList: [JSONValue] { array ?? [self] }
}
