import Glibc

/// Uses the whole terminal as a screen that is redrawn in place, and reads single keys. `end` restores the previous content.
final class FullScreen {
    /// The previous settings of the terminal; `nil` if standard input is not a terminal.
    private var before: termios?
    private var shown: [String] = []
    private var shownSize: TerminalSize?

    init() {
        var manners = termios()
        if tcgetattr(0, &manners) == 0 {
            before = manners
            // Read single keys without echo; Ctrl-C still sends a signal.
            manners.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Disable Ctrl-Z (`VSUSP`, 10): a shell would draw on this screen.
            manners.c_cc.10 = 0
            tcsetattr(0, TCSANOW, &manners)
        }
        // Switch to the alternate screen, hide the cursor, and disable line wrapping.
        StandardStream.output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    func end() {
        StandardStream.output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if var before { tcsetattr(0, TCSAFLUSH, &before) }
    }

    /// Draws the lines that have changed.
    func draw(_ lines: [String], _ size: TerminalSize) {
        var text = ""
        if size != shownSize {
            text += "\u{1B}[2J"
            shown = []
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // Erase first: after a line that fills the row, the cursor is still on its last character.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
        }
        (shown, shownSize) = (lines, size)
        if !text.isEmpty { StandardStream.output.write(text) }
    }

    /// Returns the keys pressed since the last call. Does not wait.
    func keys() -> [UInt8] {
        guard before != nil else { return [] }
        var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(0, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : []
    }
}
