internal import DoorwardDomain
internal import DoorwardYAML

extension ProfileVariable {
    /// Reads the section `vars` of a profile file.
    static func all(in vars: YAMLField) -> [ProfileVariable] {
        var taken: Set<String> = []
        return vars.entries().map { field in
            let variable = ProfileVariable(field)
            for name in [variable.name] + variable.aliases where !taken.insert(name).inserted {
                field.note("`\(name)` names two variables")
            }
            return variable
        }
    }

    private init(_ field: YAMLField) {
        self.init(field.key)
        if !ProfileTemplate.isName(name) {
            field.note("`\(name)`: a variable's name is letters, digits and `_`")
        } else if ["broker", "profile", CommandTemplate.code, CommandTemplate.reference].contains(name) {
            field.note("`\(name)` is Doorward's own; call the variable something else")
        }
        if field.isEmpty { return }
        if let text = field.scalar {
            defaultValue = text
            return
        }
        guard let section = field.section(keys: ProfileKeys.variable) else { return }
        meaning = section["meaning"].text() ?? ""
        isOptional = section["optional"].truth() ?? false
        mayBeEmpty = section["mayBeEmpty"].truth() ?? false
        aliases = section["aliases"].texts()
        form = Self.form(section)
        defaultValue = section["default"].text()
        if let value = defaultValue, (try? text(of: .string(value))) == nil {
            section["default"].note("`\(field.path).default`: `\(value)` is not an allowed value of this variable")
        }
    }

    private enum FormName: String, CaseIterable { case text, integer, boolean, any }

    private static func form(_ section: YAMLSection) -> Form {
        if section["words"].isPresent {
            let pairs = section["words"].entries().map { ($0.key, $0.scalar ?? "") }
            return .words(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
        return switch section["type"].word(FormName.self) {
        case .integer: .integer
        case .boolean: .boolean
        case .any: .any
        case .text, nil: .text
        }
    }
}
