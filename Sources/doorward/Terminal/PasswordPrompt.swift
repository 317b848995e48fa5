import DoorwardDomain
import Glibc

/// Reads a password: on a terminal without showing it, or as the first line of standard input.
enum PasswordPrompt {
    /// Reads a new password, which must be typed twice on a terminal.
    static func newPassword(fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput { return try firstLine("password") }
        let first = try ask("New password (at least 15 characters): ")
        let second = try ask("Repeat the password: ")
        guard first == second else { throw CommandFailure("the two passwords differ; nothing was done") }
        return Secret(first)
    }

    /// Reads an existing password.
    static func password(of email: String, fromStandardInput: Bool) throws -> Secret<String> {
        fromStandardInput ? try firstLine("password") : Secret(try ask("Password of \(email.printable): "))
    }

    /// Reads the first line of standard input.
    ///
    /// - Parameter noun: the name of the value, for the error message if there is no line.
    static func firstLine(_ noun: String) throws -> Secret<String> {
        guard let line = readLine() else { throw CommandFailure("no \(noun) came on standard input") }
        return Secret(line)
    }

    /// Reads a line from the terminal on standard input without showing it. Prints the prompt on standard error, and restores the
    /// terminal before it returns or ends the program. Ctrl-C and Ctrl-\ end the program as usual, but only after the terminal has
    /// been restored.
    private static func ask(_ question: String) throws -> String {
        guard isatty(0) == 1 else {
            throw CommandFailure(
                "there is no terminal to ask for the password on; pass it on standard input with --password-stdin")
        }
        var shown = termios()
        guard tcgetattr(0, &shown) == 0 else { throw CommandFailure("no password can be read from the terminal") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Make Ctrl-C and Ctrl-\ end the line instead of sending signals, so that the program does not end while echo is off.
        (hidden.c_cc.11, hidden.c_cc.16) = (Self.interrupt, Self.quit)
        // Change the settings before printing the prompt: the call discards earlier input.
        tcsetattr(0, TCSAFLUSH, &hidden)
        StandardStream.error.write(question)
        let line = read()
        tcsetattr(0, TCSAFLUSH, &shown)
        StandardStream.error.line("")
        switch line.last {
        case interrupt: end(by: SIGINT)
        case quit: end(by: SIGQUIT)
        default: break
        }
        guard line.last == newline else { throw CommandFailure("no password was entered; nothing was done") }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Sends the signal to this thread. Threads of the task pool block signals, so a signal sent to the process would be
    /// delivered at an unknown time.
    private static func end(by signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
    }

    /// Ctrl-C and Ctrl-\, which are set as `VEOL` (11) and `VEOL2` (16) while the line is read.
    private static let (interrupt, quit): (UInt8, UInt8) = (3, 28)
    private static let newline = UInt8(ascii: "\n")

    /// Reads to the first of the three characters that end a line, including it, or to the end of the input.
    private static func read() -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line }
            line.append(byte)
            if [interrupt, quit, newline].contains(byte) { return line }
        }
    }
}

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
