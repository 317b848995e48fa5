/// The mistakes of a scenario file: at least one, in the order of the lines.
package struct ScenarioErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    package let file: String
    /// Never empty; mistakes without a line come first.
    package let mistakes: [Mistake]

    /// One mistake.
    package struct Mistake: Hashable, Sendable {
        /// From 1; `nil` if it belongs to no line.
        package let line: Int?
        /// What is wrong, and what to write instead.
        package let message: String
    }

    init(file: String, _ mistakes: [Mistake]) {
        self.file = file
        self.mistakes = mistakes.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// One line for each: `house.yaml, line 3: …`.
    package var description: String {
        mistakes.map { "\(file)\($0.line.map { ", line \($0)" } ?? ""): \($0.message)" }.joined(separator: "\n")
    }
}
