import DoorwardDomain
import Glibc

/// Asks for a password: on a terminal without showing it, or as the first line of standard input.
enum PasswordPrompt {
    /// A new one, which is typed twice.
    static func newPassword(fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput { return try firstLine("password") }
        try requireTerminal()
        let first = try askHidden("New password (at least 15 characters): ")
        let second = try askHidden("The same once more: ")
        guard first == second else { throw CommandFailure("the two passwords differ; nothing was done") }
        return Secret(first)
    }

    /// One that somebody has.
    static func password(of email: String, fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput { return try firstLine("password") }
        try requireTerminal()
        return Secret(try askHidden("Password of \(email.printable): "))
    }

    /// The first line of standard input.
    ///
    /// - Parameter noun: what it is, for the sentence that says that none came.
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
        guard let line = try PasswordInput.ask(question) else { throw CommandFailure("no password was typed; nothing was done") }
        return line
    }
}
