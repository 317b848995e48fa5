package import Yams

/// The errors in a YAML file: at least one, in the order of the lines.
package struct YAMLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    package let file: String
    /// The errors. The list is never empty, and errors without a line come first.
    package let errors: [Mistake]
    private let linePrefix: String

    /// One mistake.
    package struct Mistake: Hashable, Sendable {
        /// The number of the line, from 1; `nil` if the mistake belongs to no line.
        package let line: Int?
        /// The path of the key, such as `state.map`; empty for the file as a whole.
        package let key: String
        /// A description of the mistake and of its correction.
        package let message: String
    }

    init(file: String, _ errors: [Mistake], _ format: YAMLFormat) {
        (self.file, linePrefix) = (file, format.linePrefix)
        self.errors = errors.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// Creates errors that belong to no line.
    package init(file: String, _ messages: [String], _ format: YAMLFormat) {
        self.init(file: file, messages.map { Mistake(line: nil, key: "", message: $0) }, format)
    }

    /// One line for each mistake, such as `yale.yaml:3: …`. `YAMLFormat.linePrefix` determines the text between file and line.
    package var description: String {
        errors.map { "\(file)\($0.line.map { "\(linePrefix)\($0)" } ?? ""): \($0.message)" }.joined(separator: "\n")
    }
}

/// Collects the errors in one file while the file is read.
final class YAMLErrorList {
    let format: YAMLFormat
    private(set) var all: [YAMLErrors.Mistake] = []

    init(_ format: YAMLFormat) { self.format = format }

    func add(_ line: Int?, _ key: String, _ message: String) {
        all.append(YAMLErrors.Mistake(line: line, key: key, message: message))
    }
}

extension YamlError {
    /// Returns the line of the error, from 1. For duplicate keys, returns the line of the first repetition.
    package func line(in yaml: String) -> Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(let keys, let context):
            keys.compactMap { Self.secondLine(of: $0, inMappingAt: context.mark, yaml) }.min() ?? context.mark.line
        default: nil
        }
    }

    /// A description of the error, without its position.
    package var sentence: String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
            "not YAML: \(problem)"
        case .duplicatedKeysInMapping(let keys, _): "`\(keys.sorted().joined(separator: "`, `"))` occurs more than once"
        default: "not YAML: the file contains characters that YAML does not allow"
        }
    }

    /// Returns the line in which a key is repeated; Yams reports only the line in which the mapping
    /// begins. In a mapping with one key per line, all keys begin at the same column.
    private static func secondLine(of key: String, inMappingAt start: Mark, _ yaml: String) -> Int? {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        var seen = 0
        for (index, line) in lines.enumerated().dropFirst(start.line - 1) {
            let indent = line.prefix { $0 == " " }.count
            let isFirst = index == start.line - 1
            guard isFirst || indent >= start.column - 1 || line.allSatisfy({ $0 == " " }) || line.hasPrefix("#") else {
                return nil
            }
            guard isFirst || indent == start.column - 1, begins(line.dropFirst(start.column - 1), with: key) else { continue }
            seen += 1
            if seen == 2 { return index + 1 }
        }
        return nil
    }

    private static func begins(_ line: Substring, with key: String) -> Bool {
        ["", "'", "\""].contains { quote in
            let written = quote + key + quote
            return line.hasPrefix(written) && line.dropFirst(written.count).drop { $0 == " " }.hasPrefix(":")
        }
    }
}
