import Glibc

/// The size of the terminal in characters.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// The present size of the terminal on standard output; 80 × 24 if unknown.
    static var current: TerminalSize { of(.output) }

    /// The present size of the terminal on a stream; 80 × 24 if unknown.
    static func of(_ stream: StandardStream) -> TerminalSize {
        var window = winsize()
        guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
