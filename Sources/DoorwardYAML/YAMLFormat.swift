internal import FoundationEssentials
internal import Yams

/// One kind of YAML file, and the limits for its text. Anchors and aliases are rejected, because
/// they can expand a small file to a large one.
package struct YAMLFormat: Sendable {
    let name: String
    let maxBytes: Int
    let hints: (tooLong: String, empty: String)
    let linePrefix: String
    let ignoresEmptyValues: Bool
    let removedKeys: [String: String]
    let removedWords: [String: [String: String]]

    /// - Parameters:
    ///   - name: the name of this kind of file in messages, with its article.
    ///   - maxBytes: the maximum length of a file.
    ///   - hints: texts that are appended to the messages for a file that is too long, and for an empty file.
    ///   - linePrefix: the text between file and line in messages.
    ///   - ignoresEmptyValues: whether a key without a value counts as absent. Otherwise, it is a mistake.
    ///   - removedKeys: keys of former versions, each with its replacement.
    ///   - removedWords: values of former versions by their key, each with its replacement.
    package init(
        _ name: String, maxBytes: Int, hints: (tooLong: String, empty: String) = ("", ""), linePrefix: String = ", line ",
        ignoresEmptyValues: Bool = false, removedKeys: [String: String] = [:], removedWords: [String: [String: String]] = [:]
    ) {
        (self.name, self.maxBytes, self.hints, self.linePrefix) = (name, maxBytes, hints, linePrefix)
        (self.ignoresEmptyValues, self.removedKeys, self.removedWords) = (ignoresEmptyValues, removedKeys, removedWords)
    }

    /// Reads the text of a file on disk.
    ///
    /// - Throws: if the file cannot be read, is too long, or is not UTF-8.
    package func text(ofFile path: String) throws(YAMLErrors) -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw YAMLErrors(file: path, ["the file cannot be read"], self)
        }
        guard bytes.count <= maxBytes else { throw YAMLErrors(file: path, [tooLong], self) }
        // The operator's own file need not be stream-safe. Its values are only compared with stream-safe values.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw YAMLErrors(file: path, ["the file is not UTF-8 text"], self)
        }
        return text
    }

    /// Reads a file whose top level is a mapping.
    ///
    /// - Parameters:
    ///   - file: the name of the file, for messages.
    ///   - keys: the allowed keys at the top level.
    ///   - read: reads the section, and reports errors in the section and its fields.
    /// - Throws: all errors in the file, each with its line.
    package func read<Value>(
        _ yaml: String, file: String, keys: [String], _ read: (YAMLSection) -> Value
    ) throws(YAMLErrors) -> Value {
        let errors = YAMLErrorList(self)
        let root = compose(yaml, errors).map { YAMLField(key: "", path: "", line: $0.mark?.line ?? 1, node: $0, errors: errors) }
        let value = root?.section(keys: keys, name: name).map(read)
        guard let value, errors.all.isEmpty else { throw YAMLErrors(file: file, errors.all, self) }
        return value
    }

    private var tooLong: String { "the file is longer than \(maxBytes) bytes\(hints.tooLong)" }

    private func compose(_ yaml: String, _ errors: YAMLErrorList) -> Node? {
        guard yaml.utf8.count <= maxBytes else {
            errors.add(nil, "", tooLong)
            return nil
        }
        if let line = lineOfDeepNesting(yaml) {
            errors.add(line, "", "the file nests too deeply")
            return nil
        }
        do {
            // Keep the parser alive until the anchors are read: it owns the anchors, and nodes reference them weakly.
            let parser = try Parser(yaml: yaml)
            let root = try parser.singleRoot()
            let anchor = withExtendedLifetime(parser) { root.flatMap { firstAnchor($0) } }
            if root == nil { errors.add(1, "", "the file is empty\(hints.empty)") }
            guard let anchor else { return root }
            errors.add(anchor.line, "", "`&\(anchor.name)`: anchors and aliases are not allowed; write the value out")
        } catch {
            let error = error as? YamlError
            errors.add(error?.line(in: yaml), "", error?.sentence ?? "the file is not YAML")
        }
        return nil
    }

    /// Returns the first line that is nested too deeply. Call it before parsing the text: the parser is recursive and could
    /// overflow the stack.
    private func lineOfDeepNesting(_ yaml: String) -> Int? {
        var line = 1
        var depth = 0
        // The number of consecutive characters that can each begin another level: `- - - a` is a list in a list in a list.
        var run = 0
        for byte in yaml.utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            case UInt8(ascii: "\n"): line += 1
            default: break
            }
            run = Self.indents.contains(byte) ? run + 1 : 0
            if depth > 40 || run > 200 { return line }
        }
        return nil
    }

    private static let indents = Set(" \t-?:".utf8)

    private func firstAnchor(_ node: Node) -> (name: String, line: Int?)? {
        if let anchor = node.anchor { return (anchor.rawValue, node.mark?.line) }
        if let mapping = node.mapping { return mapping.lazy.compactMap { firstAnchor($0.key) ?? firstAnchor($0.value) }.first }
        return node.sequence?.lazy.compactMap { firstAnchor($0) }.first
    }
}
