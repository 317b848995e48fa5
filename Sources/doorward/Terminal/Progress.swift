/// A line on standard error with the present activity and its duration, shown only on a terminal. The line is erased at the end.
struct Progress: Sendable {
    private let text: String
    private let isShown: Bool

    /// - Parameter style: the style of standard error. Nothing is shown if the terminal cannot erase a line.
    init(_ text: String, style: OutputStyle = .error) { (self.text, isShown) = (text.printable, style.canRedraw) }

    /// Shows the line while `body` runs.
    func during<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        guard isShown else { return try await body() }
        let ticking = Task { await tick() }
        defer { StandardStream.error.write("\r\u{1B}[K") }
        do {
            let result = try await body()
            await stop(ticking)
            return result
        } catch {
            await stop(ticking)
            throw error
        }
    }

    /// Stops the updates of the line. When this returns, nothing more is printed.
    private func stop(_ ticking: Task<Void, Never>) async {
        ticking.cancel()
        await ticking.value
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
