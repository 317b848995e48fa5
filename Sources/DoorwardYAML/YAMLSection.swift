internal import DoorwardDomain
internal import Yams

/// One mapping in a YAML file. Its keys are read one by one, and an unknown key is a mistake.
package struct YAMLSection {
    /// The path of the section: `state`, `commands.lock`. It is empty for the whole file, and for a section that has its own
    /// name.
    package let path: String
    /// The known keys that are present, in the order of the file.
    package let fields: [YAMLField]
    let line: Int
    /// The name of the section in messages: `a profile`, or the section's path.
    let name: String
    let mistakes: YAMLMistakeList

    /// - Returns: `nil`, after reporting a mistake, if the field's value is not a mapping.
    init?(_ field: YAMLField, keys: [String]?, refused: [String: String], name: String?) {
        let (mistakes, format) = (field.mistakes, field.mistakes.format)
        let path = name == nil ? field.path : ""
        let title = name ?? "`\(path)`"
        (self.path, self.name, self.mistakes, line) = (path, title, mistakes, field.node?.mark?.line ?? field.line)
        guard let mapping = field.node?.mapping else {
            mistakes.add(line, path, "\(title) must be `key: value` lines")
            return nil
        }
        var known: [YAMLField] = []
        for (key, value) in mapping {
            let line = key.mark?.line ?? line
            guard let word = key.scalar?.string else {
                mistakes.add(line, path, "a key must be a word")
                continue
            }
            let field = YAMLField(key: word, path: path.isEmpty ? word : "\(path).\(word)", line: line, node: value, mistakes)
            if keys?.contains(word) ?? true {
                known.append(field)
            } else if let instead = format.removedKeys[word] {
                field.note("`\(field.path)` is no longer supported: \(instead)")
            } else if let why = refused[word] {
                field.note("`\(field.path)` is not allowed: \(why)")
            } else {
                field.note("`\(word)` is not a key of \(title)\(didYouMean(word, among: keys ?? []))")
            }
        }
        fields = known
    }

    /// Returns the field of a key; if the key is absent, a field without a value.
    package subscript(key: String) -> YAMLField {
        let field = fields.first { $0.key == key }
        let isAbsent = field.map { $0.isEmpty && mistakes.format.ignoresEmptyValues } ?? true
        return YAMLField(
            key: key, path: path.isEmpty ? key : "\(path).\(key)", line: field?.line ?? line, node: isAbsent ? nil : field?.node,
            mistakes)
    }

    /// Whether no mistake in the file has been reported so far.
    package var isFileSound: Bool { mistakes.all.isEmpty }

    /// Reports a mistake in the section as a whole.
    package func note(_ message: String) { mistakes.add(line, path, message) }

    /// Reports a mistake for each of these keys that is absent.
    package func require(_ keys: String...) {
        for key in keys where !self[key].isPresent {
            mistakes.add(line, self[key].path, "\(name) needs `\(key)`")
        }
    }
}
