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

    struct Entry: Hashable, Sendable {
        var pattern: ValuePattern
        var meaning: ValueMeaning
    }

    func meaning(of value: String) -> ValueMeaning? {
        map.first { $0.pattern.match(value, ignoringCase: reader.ignoresCase) != nil }?.meaning
    }

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
        part.map = map.compactMap { entry in
            entry.pattern.resolved(with: values, reader.type).map { Entry(pattern: $0, meaning: entry.meaning) }
        }
        part.assumed = assumed.flatMap { $0.resolved(with: values) }
        return part
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
