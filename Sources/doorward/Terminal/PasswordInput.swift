import Glibc

/// A line typed at the terminal on standard input without being shown there.
enum PasswordInput {
    /// Asks on standard error, and leaves the terminal as it was however the line ends. Ctrl-C and Ctrl-\ end the program
    /// as they always do, but only after that.
    ///
    /// - Returns: the line without its end; `nil` when the input ended instead.
    static func ask(_ question: String) throws -> String? {
        var shown = termios()
        guard tcgetattr(0, &shown) == 0 else { throw CommandFailure("the terminal cannot be asked for a password") }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Not signals now, so that nothing ends the program while nothing is shown, but ends of the line.
        (hidden.c_cc.11, hidden.c_cc.16) = (Self.interrupt, Self.quit)
        // First, since it throws away what was typed before: what comes after the question counts.
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
        guard line.last == newline else { return nil }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Threads of the task pool block signals, so that one to this process would come whenever it pleases.
    private static func end(by signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
    }

    /// Ctrl-C and Ctrl-\, which stand at `VEOL` (11) and `VEOL2` (16) of the terminal's characters meanwhile.
    private static let (interrupt, quit): (UInt8, UInt8) = (3, 28)
    private static let newline = UInt8(ascii: "\n")

    /// Up to one of the three that end a line, and with it, or up to the input's end.
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
