/// A value that a lock reports: its topic, and the meaning of each text.
struct StateMapping: Hashable, Sendable {
    /// What the value describes.
    enum Aspect: Hashable, Sendable {
        case state, door, batteryLevel, batteryLow, faults, availability
    }

    let aspect: Aspect
    var reader: ValueReader
    var map: [Entry] = []
    /// The paths of the device's timestamp; the first one that is present counts. The timestamp distinguishes repeated values
    /// from new ones.
    var times: [JSONPath] = []
    /// Keys beside the value that change with every message, whatever caused the message.
    var volatile: [String] = []
    /// `true`, once resolved, if the state is derived from the commands sent, not measured.
    var assumed: ProfileTemplate?
    var condition = PartCondition()

    typealias Entry = PatternEntry<ValueMeaning>

    func meaning(of value: String) -> ValueMeaning? { map.meaning(of: value, ignoringCase: reader.ignoresCase) }

    /// A text with two contradicting meanings, once resolved; `nil` if there is none.
    var ambiguousText: String? {
        var meanings: [ValuePattern: ValueMeaning] = [:]
        for entry in map {
            guard let pattern = entry.pattern.resolved(with: [:], reader.type) else { continue }
            if let other = meanings[pattern], other != entry.meaning { return pattern.text.text }
            meanings[pattern] = entry.meaning
        }
        return nil
    }

    /// Resolves the variables.
    ///
    /// - Returns: `nil` if a variable that it needs has no value.
    func resolved(with values: [String: String]) -> StateMapping? {
        guard condition.holds(values), let reader = reader.resolved(with: values) else { return nil }
        var part = self
        part.reader = reader
        part.map = map.resolved(with: values, reader.type)
        part.assumed = assumed.flatMap { $0.resolved(with: values) }
        return part
    }
}

/// A pattern, and what a text that matches it means.
struct PatternEntry<Meaning: Hashable & Sendable>: Hashable, Sendable {
    var pattern: ValuePattern
    var meaning: Meaning
}

extension Array {
    /// The meaning of the first pattern that matches.
    func meaning<Meaning>(of value: String, ignoringCase: Bool) -> Meaning? where Element == PatternEntry<Meaning> {
        first { $0.pattern.match(value, ignoringCase: ignoringCase) != nil }?.meaning
    }

    /// Resolves the variables; a pattern with a missing variable is left out.
    func resolved<Meaning>(with values: [String: String], _ type: ValueType) -> Self where Element == PatternEntry<Meaning> {
        compactMap { entry in entry.pattern.resolved(with: values, type).map { Element(pattern: $0, meaning: entry.meaning) } }
    }
}

/// The meaning of a reported text.
struct ValueMeaning: Hashable, Sendable {
    /// The position that the text means; `nil` if the text means no position, as with `isReevaluation`.
    var position: BoltState?
    /// Whether the text means that a state reported by this topic, such as a jam, has ended. After
    /// that, the reports of the other topics are used again.
    var isReevaluation = false
    var door: DoorPosition?
    var isLow: Bool?
    var availability: Availability?
    var faults: Set<LockFault> = []
    /// While one of these faults is known, the text is ignored, because the lock reports the text for these faults, too.
    var unlessFaults: Set<LockFault> = []
    /// The event that is raised when the text appears.
    var event: LockEvent.Kind?
}

/// A source of events of a lock, and how to read it.
struct EventMapping: Hashable, Sendable {
    enum Source: String, CaseIterable, Hashable, Sendable {
        /// Integers separated by commas.
        case csv
        /// A JSON object; it is an event if the value at `reader.paths` is present.
        case json
        /// Like `json`, or the payload is the bare value.
        case jsonOrRaw
        /// The last topic level is the event's name; the payload, if not empty, is a JSON object.
        case topicSuffix
    }

    var source: Source
    /// The topic and path of the value; with `topicSuffix`, the topic without its last level.
    var reader: ValueReader
    /// Names of the values that rules compare: in the order of the columns of `csv`, else with their paths.
    var fields: [Field] = []
    /// Values that count as absent, by field.
    var noneValues: [String: Set<String>] = [:]
    var rules: [EventRule] = []
    /// The fields with the numbers of the user's slot, of the credential and of the authorisation.
    /// If several slot fields are given, the first one with a number is used.
    var userSlots: [String] = []
    var credentialID: String?
    var authorisationID: String?
    /// Whether a reported operation has succeeded, if no rule decides it.
    var isDone: Bool?
    /// Whether the value is repeated in merged messages. If so, only a changed value is an event;
    /// the first received value is not.
    var isOnlyOnChange = false
    /// Whether to request the state after each of these events, because the lock does not report its state by itself.
    var requestsStateAfter = false
    var condition = PartCondition()

    struct Field: Hashable, Sendable {
        var name: String
        var paths: [JSONPath]
    }

    func resolved(with values: [String: String]) -> EventMapping? {
        guard condition.holds(values), let reader = reader.resolved(with: values) else { return nil }
        var part = self
        part.reader = reader
        return part
    }
}

/// The meaning of an event whose conditions hold. Rules are applied in order, and the first that sets a property counts.
struct EventRule: Hashable, Sendable {
    struct Condition: Hashable, Sendable {
        var field: String
        /// Alternatives: one of them must match.
        var patterns: [ValuePattern]
    }

    var conditions: [Condition] = []
    var kind: LockEvent.Kind?
    var operation: LockEvent.Operation?
    var method: LockEvent.Method?
    var isDone: Bool?
    var rejection: RejectionReason?
    /// Faults that the event raises; they last until the bolt's state is reported again.
    var faults: Set<LockFault> = []
    /// Whether the number matched by `*` is the user's slot.
    var wildcardIsUserSlot = false
    /// Whether the event is known, but not reported.
    var isSilent = false

    /// Whether the rule names the event, and not only its details.
    var namesEvent: Bool { kind != nil || operation != nil || isSilent }
}

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

    typealias Entry = PatternEntry<CommandResponse>

    func response(to value: String) -> CommandResponse? { responses.meaning(of: value, ignoringCase: reader.ignoresCase) }

    func resolved(with values: [String: String]) -> AckMapping? {
        guard condition.holds(values), let reader = reader.resolved(with: values) else { return nil }
        var part = self
        part.reader = reader
        part.responses = responses.resolved(with: values, reader.type)
        return part
    }
}
