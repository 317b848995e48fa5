/// How far something is, on one line of standard error that is redrawn while somebody looks, and gone when it is over.
struct ProgressBar {
    private let isShown: Bool
    private let columns: () -> Int
    private let write: (String) -> Void
    private var last: String?

    private static let width = 24

    /// - Parameters:
    ///   - style: that of standard error. Without a terminal that can take a line back, nothing is shown.
    ///   - columns: how wide the window is at that moment.
    ///   - write: where the line goes.
    init(
        style: OutputStyle = .error, columns: @escaping () -> Int = { TerminalSize.of(.error).columns },
        write: @escaping (String) -> Void = { StandardStream.error.write($0) }
    ) {
        (isShown, self.columns, self.write) = (style.canRedraw, columns, write)
    }

    /// Shows the line, unless it is there already. A total of 0 is done.
    mutating func show(_ what: String, _ done: UInt64, of total: UInt64) {
        guard isShown else { return }
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let filled = Int(share * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let percent = "\(Int(share * 100)) %"
        // A line that is wider than the window could not be taken back whole.
        let room = columns() - 1
        let whole = "\(what) \(bar) \(percent)"
        let line = whole.displayWidth <= room ? whole : "\(what) \(percent)".clipped(to: room)
        guard line != last else { return }
        last = line
        write("\r\u{1B}[K\(line)")
    }

    mutating func clear() {
        guard last != nil else { return }
        last = nil
        write("\r\u{1B}[K")
    }
}
