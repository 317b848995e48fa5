internal import DoorwardDomain
internal import Yams

/// Reads the section `vars` of a profile file.
struct VariableReader {
    private let mistakes: ProfileMistakeList

    init(_ mistakes: ProfileMistakeList) { self.mistakes = mistakes }

    func read(_ file: ProfileSection) -> [ProfileVariable] {
        guard let section = file.section("vars", keys: nil) else { return [] }
        var taken: Set<String> = []
        return section.rest.map { field in
            let variable = variable(field, file)
            for name in [variable.name] + variable.aliases where !taken.insert(name).inserted {
                mistakes.add(field.line, field.path, "`\(name)` names two variables")
            }
            return variable
        }
    }

    private func variable(_ field: ProfileSection.Field, _ file: ProfileSection) -> ProfileVariable {
        var variable = ProfileVariable(field.key)
        check(field)
        if field.isMissing { return variable }
        if let text = field.text {
            variable.defaultValue = text
            return variable
        }
        guard let section = file.section(field, keys: ProfileKeys.variable) else { return variable }
        variable.meaning = section.text("meaning") ?? ""
        variable.isOptional = section.truth("optional") ?? false
        variable.mayBeEmpty = section.truth("mayBeEmpty") ?? false
        variable.aliases = section.texts("aliases").compactMap(\.text)
        variable.form = form(section)
        variable.defaultValue = section.text("default")
        if let value = variable.defaultValue, (try? variable.text(of: .string(value))) == nil {
            section.note("`\(field.path).default`: `\(value)` is no value that this variable takes", at: "default")
        }
        return variable
    }

    private func check(_ field: ProfileSection.Field) {
        if !ProfileTemplate.isName(field.key) {
            mistakes.add(field.line, field.path, "`\(field.key)`: a variable's name is letters, digits and `_`")
        } else if ["broker", "profile", CommandTemplate.code, CommandTemplate.reference].contains(field.key) {
            mistakes.add(field.line, field.path, "`\(field.key)` is Doorward's own; call the variable something else")
        }
    }

    private enum FormWord: String, CaseIterable { case text, integer, boolean, any }

    private func form(_ section: ProfileSection) -> ProfileVariable.Form {
        if let words = section.section("words", keys: nil) {
            let pairs = words.rest.map { ($0.key, $0.node.scalar?.string ?? "") }
            return .words(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
        return switch section.word("type", FormWord.self) {
        case .integer: .integer
        case .boolean: .boolean
        case .any: .any
        case .text, nil: .text
        }
    }
}
