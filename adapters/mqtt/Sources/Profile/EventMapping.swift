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
