/// What is wrong with a profile file: at least one mistake, in the order of the lines.
package struct ProfileMistakes: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    package let file: String
    /// Never empty; those that no line stands for come first.
    package let mistakes: [Mistake]

    /// One of them.
    package struct Mistake: Hashable, Sendable {
        /// From 1; `nil` for one that no line stands for.
        package let line: Int?
        /// The key that it is about, as a path such as `state.map`; empty for the file as a whole.
        package let key: String
        /// What is wrong and what to write in its place.
        package let message: String
    }

    init(file: String, _ mistakes: [Mistake]) {
        self.file = file
        self.mistakes = mistakes.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// One line for each: `yale.yaml:3: …`.
    package var description: String {
        mistakes.map { "\(file)\($0.line.map { ":\($0)" } ?? ""): \($0.message)" }.joined(separator: "\n")
    }
}
