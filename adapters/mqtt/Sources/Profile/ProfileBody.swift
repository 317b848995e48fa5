internal import DoorwardDomain

/// The topics and payloads of a profile: as templates in a profile, and resolved for one lock.
struct ProfileBody: Hashable, Sendable {
    /// How several topics are combined to one availability.
    enum Mode: String, CaseIterable, Hashable, Sendable { case all, any, latest }

    /// States, door, battery, faults, availability: in the order in which one message is read.
    var values: [StateMapping] = []
    var availabilityMode = Mode.all
    var events: [EventMapping] = []
    /// For each movement, the forms of its command. The first form whose variables all have values is used.
    var commands: [LockOperation: [CommandTemplate]] = [:]
    /// More topics on which commands are published.
    var commandTopics: [ProfileTemplate] = []
    /// Payloads on a command topic that are no command.
    var idlePayloads: Set<String> = []
    var acks: [AckMapping] = []
    var refresh: [CommandTemplate] = []
    /// Whether to request the state if a command is unanswered at half of its timeout.
    var retriesStateRequest = false
    /// Whether each message repeats all known values, whatever the profile's quirks are.
    var republishesCachedState = false
    var commandQoS = ProfileQoS.atMostOnce
    /// Whether the lock requires a code for every command.
    var needsCode = false
    var subscribeQoS = ProfileQoS.atMostOnce

    /// Resolves the variables; parts with a missing variable are left out.
    func resolved(with values: [String: String]) -> ProfileBody {
        var parts = self
        parts.values = self.values.compactMap { $0.resolved(with: values) }
        parts.events = events.compactMap { $0.resolved(with: values) }
        parts.acks = acks.compactMap { $0.resolved(with: values) }
        parts.commandTopics = commandTopics.compactMap { $0.resolved(with: values) }
        parts.commands = commands.mapValues { forms in forms.compactMap { $0.resolved(with: values) } }.filter {
            !$0.value.isEmpty
        }
        parts.refresh = refresh.lazy.compactMap { $0.resolved(with: values) }.first.map { [$0] } ?? []
        return parts
    }

    func has(_ aspect: StateMapping.Aspect) -> Bool { values.contains { $0.aspect == aspect } }
}

/// The QoS of a profile's messages, as the number of MQTT.
enum ProfileQoS: Int, Hashable, Sendable { case atMostOnce, atLeastOnce }
