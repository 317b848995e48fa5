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
    let errors: YAMLErrorList

    /// - Returns: `nil`, after reporting a mistake, if the field's value is not a mapping.
    init?(_ field: YAMLField, keys: [String]?, refused: [String: String], name: String?) {
        let (errors, format) = (field.errors, field.errors.format)
        let path = name == nil ? field.path : ""
        let title = name ?? "`\(path)`"
        (self.path, self.name, self.errors, line) = (path, title, errors, field.node?.mark?.line ?? field.line)
        guard let mapping = field.node?.mapping else {
            errors.add(line, path, "\(title) must be `key: value` lines")
            return nil
        }
        var known: [YAMLField] = []
        for (key, value) in mapping {
            let line = key.mark?.line ?? line
            guard let word = key.scalar?.string else {
                errors.add(line, path, "a key must be a word")
                continue
            }
            let field = YAMLField(
                key: word, path: path.isEmpty ? word : "\(path).\(word)", line: line, node: value, errors: errors)
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
        let isAbsent = field.map { $0.isEmpty && errors.format.ignoresEmptyValues } ?? true
        return YAMLField(
            key: key, path: path.isEmpty ? key : "\(path).\(key)", line: field?.line ?? line, node: isAbsent ? nil : field?.node,
            errors: errors)
    }

    /// Whether no mistake in the file has been reported so far.
    package var isFileSound: Bool { errors.all.isEmpty }

    /// Reports a mistake in the section as a whole.
    package func note(_ message: String) { errors.add(line, path, message) }

    /// Reports a mistake for each of these keys that is absent.
    package func require(_ keys: String...) {
        for key in keys where !self[key].isPresent {
            errors.add(line, self[key].path, "\(name) needs `\(key)`")
        }
    }
}

/// A value in a YAML file, at a key or in a list. Each method reads the value as one type, and reports a mistake if the value has
/// another type. If the key is absent, the method returns `nil` or an empty list, and reports no mistake.
package struct YAMLField {
    /// The key of the value. For an item of a list, the key of the list.
    package let key: String
    /// The path of the value, such as `commands.lock` or `events[0]`. It begins at the top of the
    /// file, or at a section that has its own name.
    package let path: String
    let line: Int
    let node: Node?
    let errors: YAMLErrorList

    /// Whether the key is present. With `YAMLFormat.ignoresEmptyValues`, a key without a value counts as absent.
    package var isPresent: Bool { node != nil }
    /// Whether the key is present without a value, or with the value `null`.
    package var isEmpty: Bool { node?.null != nil }
    /// Whether the value is a list.
    package var isList: Bool { node?.sequence != nil }
    /// Whether the value is a mapping.
    package var isSection: Bool { node?.mapping != nil }
    /// The text of the value as written in the file; `nil` for a list, a mapping, and `null`.
    package var scalar: String? { isEmpty ? nil : node?.scalar?.string }

    /// Reports a mistake in this value.
    package func note(_ message: String) { errors.add(line, path, message) }

    // MARK: Single values

    /// Reads a value that `read` converts.
    ///
    /// - Parameters:
    ///   - expected: a description of the allowed values, for the message.
    ///   - read: converts the text; returns `nil` for an invalid text.
    package func value<Value>(_ expected: String, _ read: (String) -> Value?) -> Value? {
        guard isPresent else { return nil }
        if let value = scalar.flatMap(read) { return value }
        note("`\(path)` must be \(expected)\(scalar.map { ", not `\($0)`" } ?? "")")
        return nil
    }

    /// Reads any text.
    package func text() -> String? { value("a text") { $0 } }

    /// Reads `true` or `false`.
    package func truth() -> Bool? { value("true or false") { ["true": true, "false": false][$0] } }

    /// Reads one of the given texts.
    ///
    /// - Parameter description: a description of the allowed texts for messages, with its article: `a day of the week`.
    package func word(_ description: String, among words: [String]) -> String? {
        guard isPresent else { return nil }
        guard let scalar else {
            note("`\(path)` must be \(description)")
            return nil
        }
        if words.contains(scalar) { return scalar }
        note("`\(path)`: `\(scalar)` is not \(description)\(didYouMean(scalar, among: words))")
        return nil
    }

    /// Reads a value of an enumeration.
    ///
    /// - Parameter allowed: the allowed values; `nil` for all.
    package func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type, among allowed: [Word]? = nil) -> Word? {
        guard isPresent else { return nil }
        let words = (allowed ?? Array(type.allCases)).map(\.rawValue)
        let list = words.joined(separator: ", ")
        guard let scalar else {
            note("`\(path)` must be one of \(list)")
            return nil
        }
        if words.contains(scalar) { return Word(rawValue: scalar) }
        if let instead = errors.format.removedWords[key]?[scalar] {
            note("`\(path): \(scalar)` is no longer supported: \(instead)")
        } else {
            let hint = nearestName(to: scalar, among: words).map { "did you mean `\($0)`?" } ?? "it may be \(list)"
            note("`\(path)`: there is no `\(scalar)`; \(hint)")
        }
        return nil
    }

    // MARK: Lists and sections

    /// Returns the items of a list. With `orOne`, a single value counts as a list of one item.
    package func items(orOne: Bool = false) -> [YAMLField] {
        guard let node, !isEmpty else { return [] }
        guard let sequence = node.sequence else {
            if orOne { return [self] }
            note("`\(path)` must be a list, each item after a dash")
            return []
        }
        return sequence.enumerated().map { index, node in
            YAMLField(key: key, path: "\(path)[\(index)]", line: node.mark?.line ?? line, node: node, errors: errors)
        }
    }

    /// Reads a text or a list of texts.
    ///
    /// - Parameter read: converts an item. For an invalid item, it reports the mistake and returns `nil`.
    package func texts<Value>(_ read: (YAMLField, String) -> Value?) -> [Value] {
        items(orOne: true).compactMap { item in item.text().flatMap { read(item, $0) } }
    }

    /// Reads a text or a list of texts.
    package func texts() -> [String] { texts { $1 } }

    /// Reads a mapping with any keys.
    package func entries() -> [YAMLField] { section(keys: nil)?.fields ?? [] }

    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - keys: the allowed keys; `nil` for any.
    ///   - refused: keys that are not allowed but that users may try, each with the reason for the message.
    ///   - name: the name of the section in messages, with its article; the paths of its keys then begin at the section. With
    ///     `nil`, the section's path is its name.
    package func section(keys: [String]?, refused: [String: String] = [:], name: String? = nil) -> YAMLSection? {
        isPresent ? YAMLSection(self, keys: keys, refused: refused, name: name) : nil
    }

    /// Reads a list of mappings, or a single mapping. The parameters are those of `section(keys:refused:name:)`.
    package func sections(keys: [String], refused: [String: String] = [:]) -> [YAMLSection] {
        items(orOne: true).compactMap { $0.section(keys: keys, refused: refused) }
    }
}
