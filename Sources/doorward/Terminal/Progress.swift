/// A line on standard error with the present activity and its duration, shown only on a terminal. The line is erased at the end.
struct Progress: Sendable {
    private let text: String
    private let isShown: Bool

    /// - Parameter style: the style of standard error. Nothing is shown if the terminal cannot erase a line.
    init(_ text: String, style: OutputStyle = .error) { (self.text, isShown) = (text.printable, style.canRedraw) }

    /// Shows the line while `body` runs.
    func during<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        guard isShown else { return try await body() }
        // The last write of `tick` comes before the line is erased.
        defer { StandardStream.error.write("\r\u{1B}[K") }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await tick() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func tick() async {
        let start = ContinuousClock.now
        while !Task.isCancelled {
            let elapsed = (ContinuousClock.now - start).components.seconds
            // A line wider than the window could not be erased completely.
            let (end, columns) = (" … \(elapsed) s", TerminalSize.of(.error).columns - 1)
            StandardStream.error.write("\r\u{1B}[K\(text.clipped(to: columns - end.displayWidth))\(end)")
            try? await Task.sleep(for: .seconds(1))
        }
    }
}

/// A progress bar on one line of standard error, which is redrawn in place and erased at the end. It is shown only on a terminal.
struct ProgressBar {
    private let isShown: Bool
    private let columns: () -> Int
    private let write: (String) -> Void
    private var last: String?

    private static let width = 24

    /// - Parameters:
    ///   - style: the style of standard error. Nothing is shown if the terminal cannot erase a line.
    ///   - columns: returns the present width of the window.
    ///   - write: prints the line.
    init(
        style: OutputStyle = .error, columns: @escaping () -> Int = { TerminalSize.of(.error).columns },
        write: @escaping (String) -> Void = { StandardStream.error.write($0) }
    ) {
        (isShown, self.columns, self.write) = (style.canRedraw, columns, write)
    }

    /// Draws the bar, unless it has not changed. A total of 0 counts as complete.
    mutating func show(_ what: String, _ done: UInt64, of total: UInt64) {
        guard isShown else { return }
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let filled = Int(share * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let percent = "\(Int(share * 100)) %"
        // A line wider than the window could not be erased completely.
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
