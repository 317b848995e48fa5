import AdapterMQTT

/// A profile as `--json` prints it.
struct ProfileView {
    private let profile: Profile

    init(_ profile: Profile) { self.profile = profile }

    var json: JSONObjectText {
        var object = JSONObjectText()
        object.add("id", profile.id)
        object.add("version", profile.version)
        object.add("description", profile.description)
        object.add("source", profile.origin)
        object.add("capabilities", ProfileCapability.allCases.filter { profile.capabilities.contains($0) }.map(\.rawValue))
        object.add("variables", profile.variables.map(Self.variable))
        object.add("timeoutSeconds", profile.timeoutSeconds)
        return object
    }

    private static func variable(_ variable: ProfileVariable) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("name", variable.name)
        object.add("isRequired", variable.isRequired)
        object.add("default", variable.defaultValue)
        switch variable.form {
        case .text: object.add("type", "text")
        case .integer: object.add("type", "integer")
        case .boolean: object.add("type", "boolean")
        case .any: object.add("type", "any")
        case .words(let words):
            object.add("type", "word")
            object.add("words", words.keys.sorted())
        }
        object.add("aliases", variable.aliases)
        object.add("meaning", variable.meaning)
        return object
    }
}
