internal import DoorwardDomain
internal import DoorwardMQTT

/// Where a lock obeys: a topic that is its own, or what is said to it on the topic of a bridge that many locks share.
///
/// Two addresses that have one of these in common are addresses of one lock.
struct CommandPlace: Hashable, Sendable {
    let topic: MQTTTopic
    /// The text of the frame; `nil` where the topic is the lock's own, whatever is said there.
    var payload: TopicText?

    init(_ topic: MQTTTopic, payload: String? = nil) { (self.topic, self.payload) = (topic, payload.map { TopicText($0) }) }
}

extension CommandPlace {
    /// All of them for one address.
    ///
    /// - Parameters:
    ///   - own: the lock's own command topic.
    ///   - parts: the profile's, filled in with `values`.
    static func all(
        of profile: Profile, own: MQTTTopic, _ parts: ProfileParts, filledWith values: [String: String]
    ) -> Set<CommandPlace> {
        var places: Set = [CommandPlace(own)]
        for forms in parts.commands.values {
            // The last form is the lock's own; those before it are for the bridge, which is told which lock it is.
            for form in forms.dropLast() {
                if let topic = MQTTTopic(form.topic.text) { places.insert(CommandPlace(topic, payload: form.payload.text)) }
            }
        }
        let telling = Self.tellingVariables(of: profile, values)
        for template in profile.parts.commandTopics + profile.parts.commands.values.compactMap(\.last?.topic)
        where telling.isSubset(of: template.names) {
            if let topic = template.filled(by: values).flatMap({ MQTTTopic($0.text) }) { places.insert(CommandPlace(topic)) }
        }
        return places
    }

    /// The variables that tell one lock from another: those of its own command topic, but for a choice between words that are all
    /// levels of topics on which the same lock obeys. A topic without them is that of a group.
    private static func tellingVariables(of profile: Profile, _ values: [String: String]) -> Set<String> {
        let own = [LockOperation.unlock, .lock, .unlatch].lazy.compactMap { operation in
            profile.parts.commands[operation]?.last { $0.filled(by: values) != nil }?.topic
        }.first
        let spelledOut = profile.parts.commandTopics.map { "/\($0.text)/" }
        let choices = profile.variables.compactMap { variable -> String? in
            guard case .words(let words) = variable.form else { return nil }
            return words.values.allSatisfy { word in spelledOut.contains { $0.contains("/\(word)/") } } ? variable.name : nil
        }
        return Set(own?.names ?? []).subtracting(choices)
    }
}
