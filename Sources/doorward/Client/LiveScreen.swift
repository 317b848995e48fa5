import DoorwardClient

/// Shows data on the whole terminal and redraws it when it changes. The last row has the key that ends it, or what is wrong.
struct LiveScreen: Sendable {
    let client: DoorwardClient
    let style: OutputStyle
    /// The message if the right to the data ends.
    let revoked: String

    private enum Update<Value: Sendable>: Sendable {
        case value(Value)
        case message(String?)
        /// The window may have another size.
        case tick
    }

    /// Runs until it is cancelled, or until the stream has ended.
    ///
    /// - Parameters:
    ///   - first: the value to show first.
    ///   - watch: passes on each later value.
    ///   - draw: returns the lines for a number of rows.
    func run<Value: Sendable>(
        from first: Value, watch: @escaping @Sendable (Live, @Sendable (Value) -> Void) async throws -> Void,
        draw: (Value, _ rows: Int) -> [String]
    ) async throws {
        let screen = FullScreen()
        defer { screen.end() }
        let (updates, sink) = AsyncStream<Update<Value>>.makeStream()
        let stream = FollowedStream(client) { text, isAway in sink.yield(.message(isAway ? text : nil)) }
        var (value, message) = (first, String?.none)
        func redraw() {
            let size = TerminalSize.current
            screen.draw(Self.picture(draw(value, Self.room(size)), message, style, size), size)
        }
        redraw()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [revoked] in
                defer { sink.finish() }
                try await stream.run(revoked: revoked) { try await watch($0) { sink.yield(.value($0)) } }
            }
            let ticks = Task {
                while (try? await Task.sleep(for: .seconds(1))) != nil { sink.yield(.tick) }
            }
            defer { ticks.cancel() }
            for await update in updates {
                switch update {
                case .value(let new): value = new
                case .message(let new): message = new
                case .tick: break
                }
                redraw()
            }
            try await group.waitForAll()
        }
    }

    /// The number of rows for data.
    private static func room(_ size: TerminalSize) -> Int { max(1, size.rows - 2) }

    /// Returns one line for each row of the screen: lines of data, empty lines, and the message.
    static func picture(_ lines: [String], _ message: String?, _ style: OutputStyle, _ size: TerminalSize) -> [String] {
        let shown = lines.prefix(room(size))
        let last = (message?.replacing("\n", with: " ") ?? "Ctrl-C ends").clipped(to: size.columns)
        return shown + Array(repeating: "", count: room(size) - shown.count + 1)
            + [style.paint(last, message == nil ? .dim : .yellow)]
    }
}
