internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// The values of an address, checked against the variables of a profile.
struct AddressValues {
    /// The values by the names of their variables, with aliases resolved.
    private(set) var values: [String: JSONValue] = [:]
    var problems: [String: VariableProblem] = [:]
    private var resolvedTexts: [String: String] = [:]
    /// The key that the address uses for a variable: its name or an alias.
    private var keys: [String: String] = [:]

    init(_ profile: Profile, _ variables: [String: JSONValue]) {
        let byKey = Dictionary(
            profile.variables.flatMap { variable in ([variable.name] + variable.aliases).map { ($0, variable) } },
            uniquingKeysWith: { first, _ in first })
        for (key, value) in variables.sorted(by: { $0.key < $1.key }) {
            guard let variable = byKey[key] else {
                problems[key] = .unknownKey
                continue
            }
            guard values[variable.name] == nil else {
                problems[key] = .duplicateKey
                continue
            }
            if value == .null, variable.isOptional || variable.defaultValue != nil { continue }
            (values[variable.name], keys[variable.name]) = (value, key)
            // Only a hook can read a list or an object.
            if variable.form == .any, value.array != nil || value.object != nil { continue }
            do { resolvedTexts[variable.name] = try variable.text(of: value) } catch { problems[key] = error }
        }
        for variable in profile.variables where values[variable.name] == nil && problems[variable.name] == nil {
            if let value = variable.defaultValue {
                resolvedTexts[variable.name] = (try? variable.text(of: .string(value))) ?? value
            } else if variable.isRequired {
                problems[variable.name] = .required
            }
        }
    }

    /// Returns the values with which templates are resolved.
    func texts(_ profile: Profile) -> [String: String] {
        var texts = resolvedTexts
        if let base = profile.base?.resolved(with: texts) { texts["base"] = base.text }
        return texts
    }

    /// Checks the topics of the address. They must contain no wildcards. The state topic must not be the command topic, because
    /// the gateway would then decode its own command as the lock's state.
    ///
    /// - Parameter isAttached: whether the lock is already attached. If so, topic rules that were
    ///   added later are not applied, so that they do not make the lock unreachable.
    mutating func checkTopics(of profile: Profile, _ parts: ProfileBody, isAttached: Bool) {
        guard problems.isEmpty else { return }
        let inTopics = Set((profile.parts.topics + [profile.base].compactMap(\.self)).flatMap(\.names))
        for variable in profile.variables where inTopics.contains(variable.name) { rejectWildcards(variable) }
        guard problems.isEmpty else { return }
        if !isAttached { checkVariables(of: profile, inTopics) }
        guard problems.isEmpty else { return }
        let commands = Set(parts.commands.values.joined().map { TopicText($0.topic.text) })
        let states = parts.values.filter { $0.aspect == .state }.map(\.reader.topic.text)
        for topic in parts.topics.map(\.text) {
            if isAttached, MQTTTopic(topic) != nil { continue }
            if let problem = TopicRule.problem(with: topic) { problems[key(of: topic, profile)] = problem }
        }
        for topic in states where commands.contains(TopicText(topic)) { problems[key(of: topic, profile)] = .commandTopic }
        for text in parts.values.compactMap(\.ambiguousText) + [parts.ambiguousCommand].compactMap(\.self) {
            problems[key(of: text, profile)] = .malformed
        }
    }

    /// Finds variables that break a topic rule by themselves, so that the error names the right variable.
    private mutating func checkVariables(of profile: Profile, _ inTopics: Set<String>) {
        for variable in profile.variables {
            // A variable with `words` takes only values that the profile itself lists, so its value needs no check.
            if case .words = variable.form { continue }
            guard let text = resolvedTexts[variable.name] else { continue }
            let problem = inTopics.contains(variable.name) ? TopicRule.problem(withPart: text) : nil
            let isHidden = text.unicodeScalars.contains { $0.properties.isBidiControl }
            if let problem = problem ?? (isHidden ? .bidirectionalCharacter : nil) {
                problems[keys[variable.name] ?? variable.name] = problem
            }
        }
    }

    private mutating func rejectWildcards(_ variable: ProfileVariable) {
        guard let text = resolvedTexts[variable.name],
            text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
        else { return }
        problems[keys[variable.name] ?? variable.name] = .malformed
    }

    /// Returns the key whose value is part of a topic; `topic` if there is none.
    func key(of topic: String, _ profile: Profile) -> String {
        let variable = profile.variables.last { resolvedTexts[$0.name].map { topic.contains($0) && !$0.isEmpty } ?? false }
        return variable.map { keys[$0.name] ?? $0.name } ?? "topic"
    }

    var errors: AddressErrors { AddressErrors(problems.mapValues(\.rawValue)) }
}

extension ProfileBody {
    /// The payload of the lock command, if an unlock or unlatch command has the same payload on the
    /// same topic; `nil` if none has. Expects resolved templates.
    var ambiguousCommand: String? {
        guard let lock = commands[.lock]?.first else { return nil }
        let others = [commands[.unlock]?.first, commands[.unlatch]?.first].compactMap { $0 }
        return others.contains { $0.topic == lock.topic && $0.payload == lock.payload } ? lock.payload.text : nil
    }

    /// All topics of the profile.
    var topics: [ProfileTemplate] {
        values.map(\.reader.topic) + events.map(\.reader.topic) + acks.map(\.reader.topic) + commandTopics
            + (commands.values.joined() + refresh).map(\.topic)
    }
}

/// Rules for the topics of an address. They are stricter than those of MQTT: they reject topics that look like another topic, and
/// topics that no lock uses.
enum TopicRule {
    /// Returns the first rule that a topic breaks; `nil` if it breaks none.
    static func problem(with topic: String) -> VariableProblem? {
        if topic.utf8.first == UInt8(ascii: "$") { return .reservedTopic }
        if let problem = problem(withPart: topic) { return problem }
        return MQTTTopic(topic) == nil ? .malformed : nil
    }

    /// Returns the first rule that a part of a topic breaks by itself; `nil` if it breaks none.
    static func problem(withPart text: String) -> VariableProblem? {
        if text.unicodeScalars.contains(where: \.isControlling) { return .controlCharacter }
        if text.unicodeScalars.contains(where: { $0.properties.isBidiControl }) { return .bidirectionalCharacter }
        return hasEmptyTopicLevel(text) ? .emptyTopicLevel : nil
    }

    /// Whether a text has an empty topic level: a slash at an end, or beside another one.
    private static func hasEmptyTopicLevel(_ text: String) -> Bool {
        !text.isEmpty && TopicText(text).levels.contains { $0.text.isEmpty }
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character, or a line or paragraph separator.
    var isControlling: Bool { [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory) }
}
