/// Where a lock or its bridge answers a command.
struct AnswerPart: Hashable, Sendable {
    /// How an answer is told from answers to others.
    enum Correlation: Hashable, Sendable {
        case none
        /// The reference that was sent stands here.
        case reference(JSONPath)
        /// The value is the payload that was sent.
        case payload
    }

    var reader: ValueReader
    var correlation = Correlation.none
    /// What else must hold for it to be an answer.
    var conditions: [EventRule.Condition] = []
    var words: [Entry] = []
    var condition = PartCondition()

    struct Entry: Hashable, Sendable {
        var pattern: ValuePattern
        var word: CommandWord
    }

    func filled(by values: [String: String]) -> AnswerPart? {
        guard condition.holds(values), let reader = reader.filled(by: values) else { return nil }
        var part = self
        part.reader = reader
        part.words = words.compactMap { entry in
            entry.pattern.filled(by: values, reader.type).map { Entry(pattern: $0, word: entry.word) }
        }
        return part
    }
}
