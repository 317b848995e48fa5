internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// An address, held against the variables of a profile.
struct AddressValues {
    /// The values by the names of their variables, aliases gone.
    private(set) var named: [String: JSONValue] = [:]
    var problems: [String: VariableProblem] = [:]
    private var filled: [String: String] = [:]
    /// The key that somebody wrote for a variable.
    private var written: [String: String] = [:]

    init(_ profile: Profile, _ variables: [String: JSONValue]) {
        let byKey = Dictionary(
            profile.variables.flatMap { variable in ([variable.name] + variable.aliases).map { ($0, variable) } },
            uniquingKeysWith: { first, _ in first })
        for (key, value) in variables.sorted(by: { $0.key < $1.key }) {
            guard let variable = byKey[key] else {
                problems[key] = .unknownKey
                continue
            }
            guard named[variable.name] == nil else {
                problems[key] = .duplicateKey
                continue
            }
            if value == .null, variable.isOptional || variable.defaultValue != nil { continue }
            (named[variable.name], written[variable.name]) = (value, key)
            if variable.form == .any, variable.isList(value) { continue }
            do { filled[variable.name] = try variable.text(of: value) } catch { problems[key] = error }
        }
        for variable in profile.variables where named[variable.name] == nil && problems[variable.name] == nil {
            if let value = variable.defaultValue {
                filled[variable.name] = (try? variable.text(of: .string(value))) ?? value
            } else if variable.isRequired {
                problems[variable.name] = .required
            }
        }
    }

    /// What templates are filled in with.
    func texts(_ profile: Profile) -> [String: String] {
        var texts = filled
        if let base = profile.base?.filled(by: filled) { texts["base"] = base.text }
        return texts
    }

    /// Topics without wildcards, and none on which the lock would hear its own command as its state.
    mutating func checkTopics(of profile: Profile, _ parts: ProfileParts) {
        guard problems.isEmpty else { return }
        for variable in profile.variables where profile.parts.topics.contains(where: { $0.names.contains(variable.name) }) {
            noteUnsound(variable)
        }
        if let base = profile.base {
            for variable in profile.variables where base.names.contains(variable.name) { noteUnsound(variable) }
        }
        guard problems.isEmpty else { return }
        let commands = Set(parts.commands.values.joined().map(\.topic.text))
        let states = parts.values.filter { $0.aspect == .state }.map(\.reader.topic.text)
        for topic in parts.topics.map(\.text) where MQTTTopic(topic) == nil { blame(topic, of: profile) }
        for topic in states where commands.contains(topic) { blame(topic, of: profile) }
        for text in parts.values.compactMap(\.ambiguousText) { blame(text, of: profile) }
        if let text = parts.ambiguousCommand { blame(text, of: profile) }
    }

    private mutating func noteUnsound(_ variable: ProfileVariable) {
        guard let text = filled[variable.name], text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
        else { return }
        problems[written[variable.name] ?? variable.name] = .malformed
    }

    /// Finds the variable that a bad topic comes from; the whole address where it comes from none.
    private mutating func blame(_ topic: String, of profile: Profile) {
        let culprit = profile.variables.last { filled[$0.name].map { topic.contains($0) && !$0.isEmpty } ?? false }
        problems[culprit.map { written[$0.name] ?? $0.name } ?? "topic"] = .malformed
    }

    var mistakes: AddressMistakes {
        AddressMistakes(
            problems.sorted { $0.key < $1.key }
                .map { AddressMistakes.Mistake(field: "address.\($0.key)", problem: $0.value.rawValue) })
    }
}

extension ProfileVariable {
    /// Whether only a hook can read the value.
    func isList(_ value: JSONValue) -> Bool {
        switch value {
        case .array, .object: true
        default: false
        }
    }
}

extension ProfileParts {
    /// What both locks and unlocks, once filled in.
    var ambiguousCommand: String? {
        guard let lock = commands[.lock]?.first else { return nil }
        let others = [commands[.unlock]?.first, commands[.unlatch]?.first].compactMap { $0 }
        return others.contains { $0.topic == lock.topic && $0.payload == lock.payload } ? lock.payload.text : nil
    }

    /// Every topic.
    var topics: [ProfileTemplate] {
        values.map(\.reader.topic) + events.map(\.reader.topic) + answers.map(\.reader.topic) + commandTopics
            + (commands.values.joined() + refresh).map(\.topic)
    }
}
