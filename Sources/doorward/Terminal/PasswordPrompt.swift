import DoorwardDomain
import Glibc

/// Reads a password: on a terminal without showing it, or as the first line of standard input.
enum PasswordPrompt {
    /// Reads a new password, which must be typed twice on a terminal.
    static func newPassword(fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput { return try firstLine("password") }
        try requireTerminal()
        let first = try askHidden("New password (at least 15 characters): ")
        let second = try askHidden("Repeat the password: ")
        guard first == second else { throw CommandFailure("the two passwords differ; nothing was done") }
        return Secret(first)
    }

    /// Reads an existing password.
    static func password(of email: String, fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput { return try firstLine("password") }
        try requireTerminal()
        return Secret(try askHidden("Password of \(email.printable): "))
    }

    /// Reads the first line of standard input.
    ///
    /// - Parameter noun: the name of the value, for the error message if there is no line.
    static func firstLine(_ noun: String) throws -> Secret<String> {
        guard let line = readLine() else { throw CommandFailure("no \(noun) came on standard input") }
        return Secret(line)
    }

    private static func requireTerminal() throws {
        guard isatty(0) == 1 else {
            throw CommandFailure(
                "there is no terminal to ask for the password on; pass it on standard input with --password-stdin")
        }
    }

    private static func askHidden(_ question: String) throws -> String {
        guard let line = try PasswordInput.ask(question) else {
            throw CommandFailure("no password was entered; nothing was done")
        }
        return line
    }
}
