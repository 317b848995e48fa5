internal import DoorwardDomain
internal import Yams

/// Collects the mistakes of one file while it is read.
final class MistakeList {
    private(set) var all: [ScenarioErrors.Mistake] = []

    func add(_ line: Int?, _ message: String) { all.append(ScenarioErrors.Mistake(line: line, message: message)) }
}

/// One mapping of a scenario file, whose keys are read one by one; an unread key is a mistake.
struct ScenarioSection {
    /// The kind of section, for messages: `a resident`.
    let kind: String
    let line: Int
    private let mistakes: MistakeList
    private var rest: [(key: String, line: Int, value: Node)] = []
    private var asked: [String] = []
    private var missing: Set<String> = []

    /// - Returns: `nil`, and a mistake, for a node that is no mapping.
    init?(_ node: Node, kind: String, mistakes: MistakeList) {
        (self.kind, self.mistakes, line) = (kind, mistakes, node.mark?.line ?? 1)
        guard let mapping = node.mapping else {
            mistakes.add(line, "\(kind) must be `key: value` lines")
            return nil
        }
        for (key, value) in mapping {
            let line = key.mark?.line ?? line
            guard let word = key.scalar?.string else {
                mistakes.add(line, "a key must be a word")
                continue
            }
            rest.append((word, line, value))
        }
    }

    // MARK: Single values

    /// - Parameters:
    ///   - expected: a description of the allowed values, for the message.
    ///   - read: converts the text; returns `nil` for an invalid one.
    /// - Returns: `nil` if the key is absent, or if its value is invalid and was recorded as a mistake.
    mutating func value<Value>(_ key: String, _ expected: String, _ read: (String) -> Value?) -> Value? {
        guard let (line, node) = take(key) else { return nil }
        guard let text = node.scalar?.string, node.null == nil else {
            mistakes.add(line, "`\(key)` must be \(expected)")
            return nil
        }
        if let value = read(text) { return value }
        mistakes.add(line, "`\(key)` must be \(expected), not `\(text)`")
        return nil
    }

    /// Reads one word of a list; the message for another word names the nearest.
    mutating func word<Value>(_ key: String, _ what: String, among words: [String], _ read: (String) -> Value?) -> Value? {
        guard let (line, node) = take(key) else { return nil }
        return word(node, line, key, what, words).flatMap(read)
    }

    /// Reads one word of the list, or a list of them. An empty list is a mistake.
    mutating func words(_ key: String, _ what: String, among words: [String]) -> [String]? {
        guard let (line, node) = take(key) else { return nil }
        guard let sequence = node.sequence else { return word(node, line, key, what, words).map { [$0] } }
        if sequence.isEmpty { mistakes.add(line, "`\(key)` must name at least one \(what)") }
        return sequence.compactMap { word($0, $0.mark?.line ?? line, key, what, words) }
    }

    private func word(_ node: Node, _ line: Int, _ key: String, _ what: String, _ words: [String]) -> String? {
        guard let text = node.scalar?.string, node.null == nil else {
            mistakes.add(line, "`\(key)` must be \(Self.article(what)) \(what)")
            return nil
        }
        if words.contains(text) { return text }
        mistakes.add(line, "`\(key)`: `\(text)` is not \(Self.article(what)) \(what)\(hint(text, words))")
        return nil
    }

    private static func article(_ noun: String) -> String { noun.first.map { "aeiou".contains($0) } == true ? "an" : "a" }

    // MARK: Lists and sections

    /// The items of a list, each with its line; empty if the key is absent, or if its value is invalid and was recorded as a mistake.
    mutating func items(_ key: String) -> [Node] {
        guard let (line, node) = take(key) else { return [] }
        guard let sequence = node.sequence else {
            if node.null == nil { mistakes.add(line, "`\(key)` must be a list, each item after a dash") }
            return []
        }
        return Array(sequence)
    }

    // MARK: The section as a whole

    /// Whether a key that was read before is present, valid or not.
    func has(_ key: String) -> Bool { !missing.contains(key) }

    /// Records a mistake for each of these keys that is absent; all must have been read before.
    func require(_ keys: String...) {
        for key in keys where !has(key) { mistakes.add(line, "\(kind) needs `\(key)`") }
    }

    /// Records a mistake of the section as a whole.
    func note(_ message: String) { mistakes.add(line, message) }

    /// Records a mistake for each unread key.
    func finish() {
        for (key, line, _) in rest { mistakes.add(line, "`\(key)` is not a key of \(kind)\(hint(key, asked))") }
    }

    private mutating func take(_ key: String) -> (line: Int, value: Node)? {
        asked.append(key)
        guard let index = rest.firstIndex(where: { $0.key == key }) else {
            missing.insert(key)
            return nil
        }
        let (_, line, value) = rest.remove(at: index)
        return (line, value)
    }

    private func hint(_ text: String, _ words: [String]) -> String {
        nearestName(to: text, among: words).map { "; did you mean `\($0)`?" } ?? ""
    }
}
