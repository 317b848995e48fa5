import Glibc

/// How many characters fit on the terminal.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// That of the terminal on standard output, now; 80 × 24 where it does not say.
    static var current: TerminalSize { of(.output) }

    /// That of the terminal on a stream, now; 80 × 24 where it does not say.
    static func of(_ stream: StandardStream) -> TerminalSize {
        var window = winsize()
        guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
