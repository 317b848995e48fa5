import DoorwardClient
import Synchronization

/// A value of the live stream and its changes: on a terminal on a screen that is redrawn, else as lines of what is new. The last row of
/// the screen names the key that closes it, or the problem of the connection.
struct LiveScreen: Sendable {
    let client: DoorwardClient
    let style: OutputStyle
    /// The message if the right to the data ends.
    let revoked: String

    /// Runs until it is cancelled, or until the output is closed.
    ///
    /// - Parameters:
    ///   - watch: passes on each later value, until `show` returns false.
    ///   - draw: returns the lines for a number of rows.
    ///   - tell: prints what is new; returns false if the output was closed.
    func follow<Value: Sendable>(
        _ first: Value, isJSON: Bool,
        watch: @escaping @Sendable (Live, _ show: (Value) throws -> Bool) async throws -> Void,
        draw: (Value, _ rows: Int) -> [String], tell: (Value) throws -> Bool
    ) async throws {
        if !isJSON, OutputStyle.output.canRedraw { return try await redraw(first, watch: watch, draw: draw) }
        guard try tell(first) else { return }
        try await withStream(of: client, revoked: revoked) { try await watch($0, tell) }
    }

    private func redraw<Value: Sendable>(
        _ first: Value, watch: @escaping @Sendable (Live, _ show: (Value) throws -> Bool) async throws -> Void,
        draw: (Value, _ rows: Int) -> [String]
    ) async throws {
        let screen = FullScreen()
        defer { screen.end() }
        // The newest value, and the problem of the connection. Older values are not kept while the terminal is stopped: `changes` has one
        // element for all changes since the last element was consumed.
        let latest = Mutex((value: first, message: String?.none))
        let (changes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let show = { @Sendable (value: Value) in
            latest.withLock { $0.value = value }
            _ = sink.yield()
            return true
        }
        let report = { @Sendable (text: String, isAway: Bool) in
            latest.withLock { $0.message = isAway ? text : nil }
            _ = sink.yield()
        }
        func redraw() {
            let (size, state) = (TerminalSize.current, latest.withLock { $0 })
            screen.draw(Self.picture(draw(state.value, Self.room(size)), state.message, style, size), size)
        }
        redraw()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { sink.finish() }
                try await withStream(of: client, revoked: revoked, report: report) { try await watch($0, show) }
            }
            let ticks = Task {
                // The window may have another size.
                while (try? await Task.sleep(for: .seconds(1))) != nil { sink.yield() }
            }
            defer { ticks.cancel() }
            for await _ in changes { redraw() }
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

/// Runs `body` on the live stream of a command that runs until Ctrl-C, and converts the error with which the stream ends to a message for
/// the user of the command. The stream reconnects by itself.
///
/// - Parameters:
///   - revoked: the message if the right to the data ends.
///   - report: receives a message when the gateway becomes unreachable, and when it is reachable again.
func withStream<Result>(
    of client: DoorwardClient, revoked: String,
    report: @escaping @Sendable (_ message: String, _ isAway: Bool) -> Void = { message, _ in StandardStream.error.line(message)
    },
    _ body: (Live) async throws -> Result
) async throws -> Result {
    let attempts = Mutex((isAway: false, last: ClientError?.none))
    let live = client.live { event in
        let news = attempts.withLock { attempts -> (String, Bool)? in
            switch event {
            case .opened:
                defer { attempts.isAway = false }
                return attempts.isAway ? ("doorward: \(client.server) is back", false) : nil
            case .failed(let error):
                attempts.last = error
                guard DoorwardError(error).isTransient, !attempts.isAway else { return nil }
                attempts.isAway = true
                return ("\(Exit(of: error).message); trying again", true)
            }
        }
        if let (message, isAway) = news { report(message, isAway) }
    }
    do {
        return try await body(live)
    } catch let error as DoorwardError {
        // The error of the connection from which the error of the stream was made has more details.
        if let last = attempts.withLock({ $0.last }), DoorwardError(last) == error { throw last }
        throw CommandFailure(error, revoked: revoked)
    }
}

extension CommandFailure {
    /// Converts the end of a stream to a message for the user of the command.
    ///
    /// - Parameter revoked: the message if the data is not visible any more.
    init(_ error: DoorwardError, revoked: String) {
        switch error {
        case .revoked, .notLoaded: self.init(revoked)
        case .sessionEnded, .notSignedIn: self.init("The session has expired; sign in again with `doorward login`.")
        case .refused(let refusal):
            self.init(
                refusal.message.isEmpty
                    ? "the gateway refused the request (\(refusal.code.printable))" : refusal.message.printable)
        case .notConnected(let why), .noResponse(let why): self.init(why.printable, code: 3)
        case .unusable(let why), .unreadable(let why): self.init(why.printable)
        case .timedOut, .nameInUse, .undeclared: self.init("the live stream has ended")
        }
    }
}
