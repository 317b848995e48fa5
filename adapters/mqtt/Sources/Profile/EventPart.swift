/// Where a lock tells what has happened, and how to read it.
struct EventPart: Hashable, Sendable {
    enum Source: String, CaseIterable, Hashable, Sendable {
        /// Whole numbers with commas between.
        case csv
        /// An object; the value at `reader.paths` makes it an event.
        case json
        /// The same, or the bare value.
        case jsonOrRaw
        /// The last level of the topic is the event's name, and the payload, if there is one, an object.
        case topicSuffix
    }

    var source: Source
    /// The topic, or with `topicSuffix` what comes before the last level.
    var reader: ValueReader
    /// Names for what rules compare: in the order of the columns of `csv`, else with the paths where they stand.
    var fields: [Field] = []
    /// Values that stand for none.
    var noneValues: [String: Set<String>] = [:]
    var rules: [EventRule] = []
    /// The fields that hold these numbers; of those for the slot, the first that has one counts.
    var userSlots: [String] = []
    var credentialID: String?
    var authorisationID: String?
    /// Whether what is told has been done, where no rule says.
    var isDone: Bool?
    /// The value stays in merged messages: only a changed value is an event, and the first one received is none.
    var isOnlyOnChange = false
    /// The lock does not report its state by itself: its state is queried after each of these events.
    var asksAfter = false
    var condition = PartCondition()

    struct Field: Hashable, Sendable {
        var name: String
        var paths: [JSONPath]
    }

    func filled(by values: [String: String]) -> EventPart? {
        guard condition.holds(values), let reader = reader.filled(by: values) else { return nil }
        var part = self
        part.reader = reader
        return part
    }
}

/// What an event means where its values are so. Rules are gone through in order, and the first that sets something counts.
struct EventRule: Hashable, Sendable {
    struct Condition: Hashable, Sendable {
        var field: String
        /// One of them must match.
        var patterns: [ValuePattern]
    }

    var conditions: [Condition] = []
    var kind: LockEvent.Kind?
    var operation: LockEvent.Operation?
    var method: LockEvent.Method?
    var isDone: Bool?
    var rejection: Rejection?
    /// What is wrong from then on, until the bolt's state is told anew.
    var faults: Set<LockFault> = []
    /// The number in what `*` stands for is the user's slot.
    var takesSlotFromName = false
    /// Known, and nothing that is told on.
    var isSilent = false

    /// Whether it says what happened, and not only how.
    var isNaming: Bool { kind != nil || operation != nil || isSilent }
}
