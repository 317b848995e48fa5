/// The mistakes in a YAML file: at least one, in the order of the lines.
package struct YAMLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    package let file: String
    /// The mistakes. The list is never empty, and mistakes without a line come first.
    package let mistakes: [Mistake]
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

    init(file: String, _ mistakes: [Mistake], _ format: YAMLFormat) {
        (self.file, linePrefix) = (file, format.linePrefix)
        self.mistakes = mistakes.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// Creates errors that belong to no line.
    package init(file: String, _ messages: [String], _ format: YAMLFormat) {
        self.init(file: file, messages.map { Mistake(line: nil, key: "", message: $0) }, format)
    }

    /// One line for each mistake, such as `yale.yaml:3: …`. `YAMLFormat.linePrefix` determines the text between file and line.
    package var description: String {
        mistakes.map { "\(file)\($0.line.map { "\(linePrefix)\($0)" } ?? ""): \($0.message)" }.joined(separator: "\n")
    }
}

/// Collects the mistakes in one file while the file is read.
final class YAMLMistakeList {
    let format: YAMLFormat
    private(set) var all: [YAMLErrors.Mistake] = []

    init(_ format: YAMLFormat) { self.format = format }

    func add(_ line: Int?, _ key: String, _ message: String) {
        all.append(YAMLErrors.Mistake(line: line, key: key, message: message))
    }
}
