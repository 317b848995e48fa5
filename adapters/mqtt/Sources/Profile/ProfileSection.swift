internal import DoorwardDomain
internal import Yams

/// Collects the mistakes of one file while it is read.
final class ProfileMistakeList {
    private(set) var all: [ProfileErrors.Mistake] = []

    func add(_ line: Int?, _ key: String, _ message: String) {
        all.append(ProfileErrors.Mistake(line: line, key: key, message: message))
    }
}

/// One mapping of a profile file, whose keys are read one by one; a key that is not known is a mistake.
struct ProfileSection {
    /// The path of the mapping: `state`, `commands.lock`; empty for the file.
    let path: String
    let line: Int
    let mistakes: ProfileMistakeList
    private(set) var rest: [Field] = []
    private let known: [String]

    /// A key and its value.
    struct Field {
        let key: String
        let line: Int
        let node: Node
        /// The path from the top of the file.
        let path: String

        /// `nil` for a list, a mapping, and `null`.
        var text: String? { node.null == nil ? node.scalar?.string : nil }
        var isMissing: Bool { node.null != nil }
    }

    /// - Parameters:
    ///   - path: the path of the mapping from the top of the file.
    ///   - keys: the allowed keys; `nil` for any.
    ///   - refused: keys that people try and that are never allowed, each with the reason.
    /// - Returns: `nil`, and a mistake, for a node that is no mapping.
    init?(
        _ node: Node, _ path: String, keys: [String]?, refused: [String: String] = [:], _ mistakes: ProfileMistakeList
    ) {
        (self.path, self.mistakes, line, known) = (path, mistakes, node.mark?.line ?? 1, keys ?? [])
        guard let mapping = node.mapping else {
            mistakes.add(line, path, "\(path.isEmpty ? "a profile" : "`\(path)`") must be `key: value` lines")
            return nil
        }
        for (key, value) in mapping {
            let line = key.mark?.line ?? line
            guard let word = key.scalar?.string else {
                mistakes.add(line, path, "a key must be a word")
                continue
            }
            let whole = path.isEmpty ? word : "\(path).\(word)"
            let field = Field(key: word, line: line, node: value, path: whole)
            if keys == nil || known.contains(word) {
                rest.append(field)
            } else if let instead = ProfileKeys.removed[word] {
                guard !field.isMissing else { continue }
                mistakes.add(line, whole, "`\(whole)` is no key any more: \(instead)")
            } else if let why = refused[word] {
                mistakes.add(line, whole, "`\(whole)` is never taken: \(why)")
            } else {
                let hint = nearestName(to: word, among: known).map { "; did you mean `\($0)`?" } ?? ""
                mistakes.add(line, whole, "`\(word)` is not a key of \(path.isEmpty ? "a profile" : "`\(path)`")\(hint)")
            }
        }
    }

    /// The field of a key, if its value is not `null`.
    func field(_ key: String) -> Field? { rest.first { $0.key == key && !$0.isMissing } }

    func note(_ message: String, at key: String? = nil) {
        let field = key.flatMap { name in rest.first { $0.key == name } }
        mistakes.add(field?.line ?? line, field?.path ?? path, message)
    }

    /// Records a mistake for each of these keys that is absent.
    func require(_ keys: String...) {
        for key in keys where field(key) == nil {
            mistakes.add(
                line, path.isEmpty ? key : "\(path).\(key)", "\(path.isEmpty ? "a profile" : "`\(path)`") needs `\(key)`")
        }
    }

    // MARK: Values

    /// - Parameters:
    ///   - expected: a description of the allowed values, for the message.
    ///   - read: converts the text; returns `nil` for an invalid one.
    /// - Returns: `nil` if the key is absent, or if its value is invalid and was recorded as a mistake.
    func value<Value>(_ key: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
        guard let field = field(key) else { return nil }
        guard let text = field.text else {
            mistakes.add(field.line, field.path, "`\(field.path)` must be \(expected)")
            return nil
        }
        if let value = read(text) { return value }
        mistakes.add(field.line, field.path, "`\(field.path)` must be \(expected), not `\(text)`")
        return nil
    }

    func text(_ key: String) -> String? { value(key, "a text") { $0 } }

    func truth(_ key: String) -> Bool? { value(key, "true or false") { ["true": true, "false": false][$0] } }

    /// Reads a value of an enumeration; the message for another value names the nearest.
    func word<Word: RawRepresentable & CaseIterable>(_ key: String, _ type: Word.Type) -> Word? where Word.RawValue == String {
        guard let field = field(key) else { return nil }
        return word(field, field.text, type)
    }

    /// - Parameter taken: the allowed values; `nil` for all.
    func word<Word: RawRepresentable & CaseIterable>(
        _ field: Field, _ text: String?, _ type: Word.Type, among taken: [Word]? = nil
    ) -> Word? where Word.RawValue == String {
        let words = (taken ?? Array(type.allCases)).map(\.rawValue)
        guard let text else {
            mistakes.add(field.line, field.path, "`\(field.path)` must be one of \(words.joined(separator: ", "))")
            return nil
        }
        if let word = Word(rawValue: text), words.contains(text) { return word }
        if let instead = ProfileKeys.removedWords[field.key]?[text] {
            mistakes.add(field.line, field.path, "`\(field.path): \(text)` is no more: \(instead)")
            return nil
        }
        let hint =
            nearestName(to: text, among: words).map { "did you mean `\($0)`?" } ?? "it may be \(words.joined(separator: ", "))"
        mistakes.add(field.line, field.path, "`\(field.path)`: there is no `\(text)`; \(hint)")
        return nil
    }

    /// Reads a text or a list of texts; empty if the key is absent, or if its value is invalid and was recorded as a mistake.
    func texts(_ key: String) -> [Field] {
        guard let field = field(key) else { return [] }
        if field.text != nil { return [field] }
        return items(key).filter { item in
            if item.text == nil { mistakes.add(item.line, item.path, "`\(item.path)` must be a text") }
            return item.text != nil
        }
    }

    /// The items of a list, or with `orOne` a single item in its place.
    func items(_ key: String, orOne: Bool = false) -> [Field] {
        guard let field = field(key) else { return [] }
        if orOne, field.node.sequence == nil { return [field] }
        guard let sequence = field.node.sequence else {
            mistakes.add(field.line, field.path, "`\(field.path)` must be a list")
            return []
        }
        return sequence.enumerated().map { index, node in
            Field(key: key, line: node.mark?.line ?? field.line, node: node, path: "\(field.path)[\(index)]")
        }
    }

    func section(_ key: String, keys: [String]?, refused: [String: String] = [:]) -> ProfileSection? {
        field(key).flatMap { section($0, keys: keys, refused: refused) }
    }

    /// - Returns: `nil`, and a mistake, for a field that holds no mapping.
    func section(_ field: Field, keys: [String]?, refused: [String: String] = [:]) -> ProfileSection? {
        ProfileSection(field.node, field.path, keys: keys, refused: refused, mistakes)
    }
}
