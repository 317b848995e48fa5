import ArgumentParser
import DoorwardClient
import DoorwardYAML
import Glibc
import UnixSignals

/// How a command ends if it does not end normally: its message, output stream and exit code.
struct Exit: Equatable {
    let message: String
    let code: Int32

    /// - Parameter arguments: the command line that caused the error, without the program's name.
    init(of error: any Error, arguments: [String] = []) {
        if let failure = CommandFailure(of: error) {
            (message, code) = ("doorward: \(failure.sentence)", failure.code)
        } else {
            let text = DoorwardCommand.fullMessage(for: error)
            let code = DoorwardCommand.exitCode(for: error)
            let misspelling = code == .validationFailure ? Misspelling(in: arguments) : nil
            message = misspelling.map { Self.message($0, insteadOf: text) } ?? text
            switch code {
            case .success: self.code = 0
            case .validationFailure: self.code = 2
            default: self.code = 1
            }
        }
    }

    /// Returns the parser's message with another first sentence, followed by the parser's usage text.
    private static func message(_ misspelling: Misspelling, insteadOf text: String) -> String {
        let usage = text.firstRange(of: "Usage: ").map { text[$0.lowerBound...] } ?? ""
        return "Error: \(misspelling.sentence)\n\(usage)"
    }

    /// Prints the message and ends the process. Help goes to standard output, everything else to standard error.
    func leave() -> Never {
        if !message.isEmpty { (code == 0 ? StandardStream.output : .error).line(message) }
        guard let failure = StandardStream.outputFailure, !message.contains(failure.sentence) else { exit(code) }
        StandardStream.error.line("doorward: \(failure.sentence)")
        exit(code == 0 ? failure.code : code)
    }
}

/// The error of a command: a message for the user, and the exit code.
struct CommandFailure: Error, Equatable {
    let sentence: String
    /// 1 if the command was refused or failed, 2 for wrong usage, 3 for no connection, 4 for a log that was rolled back or is
    /// incomplete.
    let code: Int32

    init(_ sentence: String, code: Int32 = 1) { (self.sentence, self.code) = (sentence, code) }

    /// - Parameter file: the noun for the file with the mistakes, such as `the profile`.
    init(_ file: String, _ errors: YAMLErrors) {
        let lines = errors.description.split(separator: "\n").map { String($0).printable }
        self.init("\(file) has mistakes:\n\(lines.joined(separator: "\n"))")
    }
}

/// Handles Ctrl-C during an operation that the user may interrupt.
enum Interruption {
    /// Runs `body` until it ends, or until Ctrl-C.
    ///
    /// - Returns: `nil` after Ctrl-C.
    static func withInterrupt<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result? {
        let signals = await UnixSignalsSequence(trapping: .sigint)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { return nil }
                // The stream of signals also ends when this task is cancelled, and then its result is not used.
                throw CancellationError()
            }
            return try await group.next() ?? nil
        }
    }
}
