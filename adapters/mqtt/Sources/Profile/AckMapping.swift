/// A response of a lock or its bridge to a command, and how to read it.
struct AckMapping: Hashable, Sendable {
    /// How a response is matched with a command.
    enum Correlation: Hashable, Sendable {
        case none
        /// The reference that was sent is at this path.
        case reference(JSONPath)
        /// The value repeats the payload that was sent.
        case payload
    }

    var reader: ValueReader
    var correlation = Correlation.none
    /// Further conditions for a message to be a response.
    var conditions: [EventRule.Condition] = []
    var responses: [Entry] = []
    var condition = PartCondition()

    struct Entry: Hashable, Sendable {
        var pattern: ValuePattern
        var response: CommandResponse
    }

    func resolved(with values: [String: String]) -> AckMapping? {
        guard condition.holds(values), let reader = reader.resolved(with: values) else { return nil }
        var part = self
        part.reader = reader
        part.responses = responses.compactMap { entry in
            entry.pattern.resolved(with: values, reader.type).map { Entry(pattern: $0, response: entry.response) }
        }
        return part
    }
}
