internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

extension HomeAssistantLock {
    /// Why the `homeassistant` profile cannot be used for this lock; `nil` if it can.
    var problem: String? { topicProblem ?? templateProblem ?? profileProblem }

    private var topicProblem: String? {
        let own = ["command_topic", "state_topic", "availability_topic"].compactMap { key in text(key).map { (key, $0) } }
        let items = availability.compactMap { item in item["topic"]?.string.map { ("availability topic", $0) } }
        for (key, topic) in own + items where MQTTTopic(topic) == nil {
            return
                "its \(key.spaced) `\(topic.prefix(100))` cannot be the topic of one lock: it is empty, contains a wildcard, or is reserved for the broker"
        }
        return nil
    }

    private var templateProblem: String? {
        let own = ["value_template", "availability_template"].compactMap { key in text(key).map { (key, $0) } }
        let items = availability.compactMap { item in item["value_template"]?.string.map { ("availability template", $0) } }
        for (key, template) in own + items where HomeAssistantTemplate.path(template) == nil {
            return
                "needs a profile: its \(key.spaced) is a computation, and only `{{ value }}` and `{{ value_json.key }}` are read"
        }
        guard let template = text("command_template"), HomeAssistantTemplate.command(template, value: "") == nil else {
            return nil
        }
        return "needs a profile: its command template contains a computation; only `{{ value }}` and `{{ code }}` are supported"
    }

    /// The first problem that the profile itself reports for the address.
    private var profileProblem: String? {
        guard let profile = ProfileLibrary.shipped["homeassistant"] else { return nil }
        do {
            _ = try Dialect(profile, variables: variables)
            return nil
        } catch {
            let keys = error.mistakes.map { "`\($0.field.split(separator: ".").last ?? "")`" }.joined(separator: ", ")
            return "needs a profile: its values of \(keys) are not supported"
        }
    }
}

extension String {
    fileprivate var spaced: String { String(map { $0 == "_" ? " " : $0 }) }
}
