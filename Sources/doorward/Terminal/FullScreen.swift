import Glibc

/// The whole terminal for one picture that is redrawn in place, and keys one at a time. What stood there before comes back
/// with `end`.
final class FullScreen {
    private var before = termios()
    private var shown: [String] = []
    private var shownSize: TerminalSize?

    init() {
        tcgetattr(0, &before)
        var keys = before
        // Ctrl-C stays a signal.
        keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(0, TCSANOW, &keys)
        // The other screen, without a cursor.
        StandardStream.output.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    func end() {
        StandardStream.output.write("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(0, TCSAFLUSH, &before)
    }

    /// Draws the lines that are not there already.
    func draw(_ lines: [String], _ size: TerminalSize) {
        var text = ""
        if size != shownSize {
            text += "\u{1B}[2J"
            shown = []
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // Erased first: after a line that fills the row, the cursor still stands on its last character.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { StandardStream.output.write(text) }
    }

    /// The keys that were pressed since the last call. Does not wait.
    func keys() -> [UInt8] {
        var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(0, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : []
    }
}
