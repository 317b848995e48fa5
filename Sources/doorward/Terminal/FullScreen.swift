import Glibc

/// The whole terminal for one picture that is redrawn in place, and keys one at a time. What stood there before comes back
/// with `end`.
final class FullScreen {
    /// The manners of the terminal that keys come from; `nil` where they come from none.
    private var before: termios?
    private var shown: [String] = []
    private var shownSize: TerminalSize?

    init() {
        var manners = termios()
        if tcgetattr(0, &manners) == 0 {
            before = manners
            // Ctrl-C stays a signal.
            manners.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Ctrl-Z (`VSUSP`, 10) does nothing: a shell would have to draw on this screen.
            manners.c_cc.10 = 0
            tcsetattr(0, TCSANOW, &manners)
        }
        // The other screen, without a cursor, and without another line where one is too long.
        StandardStream.output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    func end() {
        StandardStream.output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if var before { tcsetattr(0, TCSAFLUSH, &before) }
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
        guard before != nil else { return [] }
        var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(0, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : []
    }
}
