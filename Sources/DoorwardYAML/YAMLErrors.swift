/// The mistakes of a YAML file: at least one, in the order of the lines.
package struct YAMLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    package let file: String
    /// Never empty; mistakes without a line come first.
    package let mistakes: [Mistake]
    private let linePrefix: String

    /// One mistake.
    package struct Mistake: Hashable, Sendable {
        /// From 1; `nil` if it belongs to no line.
        package let line: Int?
        /// The path of the key, such as `state.map`; empty for the file as a whole.
        package let key: String
        /// What is wrong, and what to write instead.
        package let message: String
    }

    init(file: String, _ mistakes: [Mistake], _ format: YAMLFormat) {
        (self.file, linePrefix) = (file, format.linePrefix)
        self.mistakes = mistakes.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// Mistakes that belong to no line.
    package init(file: String, _ messages: [String], _ format: YAMLFormat) {
        self.init(file: file, messages.map { Mistake(line: nil, key: "", message: $0) }, format)
    }

    /// One line for each: `yale.yaml:3: …`, or as `YAMLFormat.linePrefix` says.
    package var description: String {
        mistakes.map { "\(file)\($0.line.map { "\(linePrefix)\($0)" } ?? ""): \($0.message)" }.joined(separator: "\n")
    }
}

/// Collects the mistakes of one file while it is read.
final class YAMLMistakeList {
    let format: YAMLFormat
    private(set) var all: [YAMLErrors.Mistake] = []

    init(_ format: YAMLFormat) { self.format = format }

    func add(_ line: Int?, _ key: String, _ message: String) {
        all.append(YAMLErrors.Mistake(line: line, key: key, message: message))
    }
}
