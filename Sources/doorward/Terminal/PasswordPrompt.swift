import DoorwardDomain
import Glibc

/// Asks for a new password: on a terminal twice and without showing it, or as the first line of standard input.
enum PasswordPrompt {
    static func newPassword(fromStandardInput: Bool) throws -> Secret<String> {
        if fromStandardInput {
            guard let line = readLine() else { throw CommandFailure("no password came on standard input") }
            return Secret(line)
        }
        guard isatty(0) == 1 else {
            throw CommandFailure(
                "there is no terminal to ask for the password on; pass it on standard input with --password-stdin")
        }
        let first = try askHidden("New password (at least 15 characters): ")
        let second = try askHidden("The same once more: ")
        guard first == second else { throw CommandFailure("the two passwords differ; nothing was done") }
        return Secret(first)
    }

    private static func askHidden(_ question: String) throws -> String {
        StandardStream.error.write(question)
        var shown = termios()
        guard tcgetattr(0, &shown) == 0 else { throw CommandFailure("the terminal cannot be asked for a password") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(0, TCSAFLUSH, &shown)
            StandardStream.error.line("")
        }
        guard let line = readLine() else { throw CommandFailure("no password was typed; nothing was done") }
        return line
    }
}
