internal import DoorwardDomain

/// Everything that a profile says of topics and payloads: with places for variables in a profile, and filled in for one lock.
struct ProfileParts: Hashable, Sendable {
    /// How several topics make one availability.
    enum Mode: String, CaseIterable, Hashable, Sendable { case all, any, latest }

    /// States, door, battery, faults, availability: in the order in which one message is read.
    var values: [ValuePart] = []
    var availabilityMode = Mode.all
    var events: [EventPart] = []
    /// For each movement the frames to choose from: the first whose variables all have values.
    var commands: [LockOperation: [CommandPart]] = [:]
    /// More topics on which a command may have been left.
    var commandTopics: [ProfileTemplate] = []
    /// What may lie on a command topic without being a command.
    var idle: Set<String> = []
    var answers: [AnswerPart] = []
    var refresh: [CommandPart] = []
    /// Whether to ask once more when half of the time of a command is over.
    var asksAgain = false
    /// Whether each message repeats what was known before, whatever the profile says.
    var mergesCache = false
    var commandQuality = ProfileQuality.atMostOnce
    /// Whether the lock takes no command without a code.
    var needsCode = false
    var subscribeQuality = ProfileQuality.atMostOnce

    /// What is left where every variable has its value.
    func filled(by values: [String: String]) -> ProfileParts {
        var parts = self
        parts.values = self.values.compactMap { $0.filled(by: values) }
        parts.events = events.compactMap { $0.filled(by: values) }
        parts.answers = answers.compactMap { $0.filled(by: values) }
        parts.commandTopics = commandTopics.compactMap { $0.filled(by: values) }
        parts.commands = commands.mapValues { forms in forms.compactMap { $0.filled(by: values) } }.filter { !$0.value.isEmpty }
        parts.refresh = refresh.lazy.compactMap { $0.filled(by: values) }.first.map { [$0] } ?? []
        return parts
    }

    func has(_ aspect: ValuePart.Aspect) -> Bool { values.contains { $0.aspect == aspect } }
}

/// How surely a frame is handed to the broker: the number of MQTT.
enum ProfileQuality: Int, Hashable, Sendable { case atMostOnce, atLeastOnce }
