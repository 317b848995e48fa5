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
    var words: [Entry] = []
    var condition = PartCondition()

    struct Entry: Hashable, Sendable {
        var pattern: ValuePattern
        var word: CommandResponse
    }

    func filled(by values: [String: String]) -> AckMapping? {
        guard condition.holds(values), let reader = reader.filled(by: values) else { return nil }
        var part = self
        part.reader = reader
        part.words = words.compactMap { entry in
            entry.pattern.filled(by: values, reader.type).map { Entry(pattern: $0, word: entry.word) }
        }
        return part
    }
}
