internal import DoorwardMQTT

/// A lock's use of a topic that may conflict with that of another lock of its broker.
enum TopicUse: Hashable, Sendable {
    /// The lock's commands are published on this topic.
    case command(TopicText)
    /// The lock reports its state on this topic: as the whole payload, or at a path in its JSON.
    case state(TopicText, at: JSONPath?)
    /// The lock reports its state on this topic, anywhere in the payload.
    case anyState(TopicText)

    /// Returns all topic uses of one address.
    static func all(of parts: ProfileBody, commandTopics: [MQTTTopic]) -> Set<TopicUse> {
        var uses = Set(commandTopics.map { TopicUse.command(TopicText($0.description)) })
        for part in parts.values where part.aspect == .state {
            let topic = TopicText(part.reader.topic.text)
            uses.insert(.anyState(topic))
            let paths: [JSONPath?] =
                part.reader.source == .raw || part.reader.paths.isEmpty ? [nil] : part.reader.paths.map { Optional($0) }
            for path in paths { uses.insert(.state(topic, at: path)) }
        }
        return uses
    }

    /// The uses by another lock that conflict with this one, each with the problem to report.
    var conflictingUses: [(use: TopicUse, problem: VariableProblem)] {
        switch self {
        case .command(let topic): [(.anyState(topic), .stateTopicOfOther)]
        case .state: [(self, .stateTopicInUse)]
        case .anyState(let topic): [(.command(topic), .commandTopicOfOther)]
        }
    }

    /// The topic of the use.
    var topic: TopicText {
        switch self {
        case .command(let topic), .state(let topic, _), .anyState(let topic): topic
        }
    }
}
