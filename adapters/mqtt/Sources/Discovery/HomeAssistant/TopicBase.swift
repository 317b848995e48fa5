internal import DoorwardDomain

extension [String: JSONValue] {
    /// Replaces `~`: at the beginning or end of the values of keys that end in `topic`, and of the topics of `availability`.
    /// Expects full keys.
    var withTopicBase: Self {
        guard let base = self["~"]?.string else { return self }
        var fields = self
        fields["~"] = nil
        for (key, value) in fields where key.hasSuffix("topic") { fields[key] = value.basedOn(base) }
        if let items = fields["availability"]?.array {
            fields["availability"] = .array(items.map { $0.availabilityItem(on: base) })
        }
        return fields
    }
}

extension JSONValue {
    fileprivate func basedOn(_ base: String) -> JSONValue {
        guard var text = string else { return self }
        if text.hasPrefix("~") { text = base + text.dropFirst() }
        if text.hasSuffix("~") { text = text.dropLast() + base }
        return .string(text)
    }

    fileprivate func availabilityItem(on base: String) -> JSONValue {
        guard var fields = object, let topic = fields["topic"] else { return self }
        fields["topic"] = topic.basedOn(base)
        return .object(fields)
    }
}
