import Glibc

/// A question before something is deleted, which the user answers with yes or no.
enum Confirmation {
    /// Without a terminal there is no user to answer.
    ///
    /// - Parameters:
    ///   - isConfirmed: whether `--yes` was given.
    ///   - verb: what is to be done, such as `delete`, and `past` its participle.
    /// - Throws: a usage error.
    static func requireTerminal(unless isConfirmed: Bool, _ verb: String, _ past: String) throws {
        guard isConfirmed || isatty(0) == 1 else {
            throw CommandFailure(
                "There is no terminal to ask on; nothing was \(past). Add --yes to \(verb) without a question.", code: 2)
        }
    }

    /// Asks on standard error, and reads the answer from standard input.
    ///
    /// - Throws: a failure with the sentence `otherwise`, unless the answer is yes.
    static func ask(_ question: String, otherwise sentence: String) throws {
        StandardStream.error.write("\(question) [y/N] ")
        let answer = readLine()
        if answer == nil { StandardStream.error.line("") }
        guard let answer, isYes(answer) else { throw CommandFailure(sentence) }
    }

    static func isYes(_ answer: String) -> Bool {
        ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }
}
