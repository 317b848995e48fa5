/// A value of a lock: where it is told, and what each word means.
struct ValuePart: Hashable, Sendable {
    /// What the value speaks of.
    enum Aspect: Hashable, Sendable {
        case state, door, batteryLevel, batteryLow, faults, availability
    }

    let aspect: Aspect
    var reader: ValueReader
    var map: [Entry] = []
    /// Where the device tells when it was so, the first that is there; what it publishes once more is then told from what is new.
    var times: [JSONPath] = []
    /// The keys beside it that change with every message, whatever it was sent for.
    var volatile: [String] = []
    /// `true` once filled in: the state was derived from what was sent, not measured.
    var assumed: ProfileTemplate?
    var condition = PartCondition()

    struct Entry: Hashable, Sendable {
        var pattern: ValuePattern
        var meaning: ValueMeaning
    }

    func meaning(of value: String) -> ValueMeaning? {
        map.first { $0.pattern.match(value, ignoringCase: reader.ignoresCase) != nil }?.meaning
    }

    /// A text that stands for two things, of which nobody can say which one is meant; once filled in.
    var ambiguousText: String? {
        var meanings: [ValuePattern: ValueMeaning] = [:]
        for entry in map {
            guard let pattern = entry.pattern.filled(by: [:], reader.type) else { continue }
            if let other = meanings[pattern], other != entry.meaning { return pattern.text.text }
            meanings[pattern] = entry.meaning
        }
        return nil
    }

    /// - Returns: `nil` where a variable that it needs has no value.
    func filled(by values: [String: String]) -> ValuePart? {
        guard condition.holds(values), let reader = reader.filled(by: values) else { return nil }
        var part = self
        part.reader = reader
        part.map = map.compactMap { entry in
            entry.pattern.filled(by: values, reader.type).map { Entry(pattern: $0, meaning: entry.meaning) }
        }
        part.assumed = assumed.flatMap { $0.filled(by: values) }
        return part
    }
}

/// What a word says.
struct ValueMeaning: Hashable, Sendable {
    /// For a state; `nil` with `isReevaluation` for "as the other topics say".
    var position: Position?
    /// The jam, or whatever this topic told, is over: what the other topics told counts again.
    var isReevaluation = false
    var door: DoorPosition?
    var isLow: Bool?
    var availability: Availability?
    var faults: Set<LockFault> = []
    /// Where one of these is known the word says nothing of its own: it stands for them too.
    var unlessFaults: Set<LockFault> = []
    /// What has happened when the word comes up.
    var event: LockEvent.Kind?
}
