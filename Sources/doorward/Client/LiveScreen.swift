import DoorwardClient
import Synchronization

/// Shows data on the whole terminal and redraws it when it changes. The last row names the key that closes the screen, or the problem of
/// the connection.
struct LiveScreen: Sendable {
    let client: DoorwardClient
    let style: OutputStyle
    /// The message if the right to the data ends.
    let revoked: String

    /// Runs until it is cancelled, or until the stream has ended.
    ///
    /// - Parameters:
    ///   - first: the value to show first.
    ///   - watch: passes on each later value, until `show` returns false.
    ///   - draw: returns the lines for a number of rows.
    func run<Value: Sendable>(
        from first: Value, watch: @escaping @Sendable (Live, _ show: (Value) throws -> Bool) async throws -> Void,
        draw: (Value, _ rows: Int) -> [String]
    ) async throws {
        let screen = FullScreen()
        defer { screen.end() }
        let latest = Latest(first)
        let stream = FollowedStream(client) { text, isAway in latest.change { $0.message = isAway ? text : nil } }
        func redraw() {
            let (size, state) = (TerminalSize.current, latest.state)
            screen.draw(Self.picture(draw(state.value, Self.room(size)), state.message, style, size), size)
        }
        redraw()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [revoked] in
                defer { latest.finish() }
                try await stream.run(revoked: revoked) { live in
                    try await watch(live) { value in
                        latest.change { $0.value = value }
                        return true
                    }
                }
            }
            let ticks = Task {
                // The window may have another size.
                while (try? await Task.sleep(for: .seconds(1))) != nil { latest.change { _ in } }
            }
            defer { ticks.cancel() }
            for await _ in latest.changes { redraw() }
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

/// Shows a value and its changes: on a terminal on a screen that is redrawn, else by printing what is new. Runs until it is cancelled, or
/// until the output is closed.
///
/// - Parameters:
///   - screen: the screen on a terminal, with the client and the message if the right to the data ends.
///   - watch: passes on each later value, until `show` returns false.
///   - draw: returns the lines for a number of rows.
///   - tell: prints what is new; returns false if the output was closed.
func follow<Value: Sendable>(
    _ first: Value, on screen: LiveScreen, isJSON: Bool,
    watch: @escaping @Sendable (Live, _ show: (Value) throws -> Bool) async throws -> Void,
    draw: (Value, _ rows: Int) -> [String], tell: (Value) throws -> Bool
) async throws {
    if !isJSON, OutputStyle.output.canRedraw { return try await screen.run(from: first, watch: watch, draw: draw) }
    guard try tell(first) else { return }
    try await FollowedStream(screen.client).run(revoked: screen.revoked) { try await watch($0, tell) }
}

/// The content of the screen: the newest value, and the problem of the connection. Older values are not kept while the terminal is stopped.
private final class Latest<Value: Sendable>: Sendable {
    struct State: Sendable {
        var value: Value
        var message: String?
    }

    /// One element for all changes since the last element was consumed.
    let changes: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation
    private let current: Mutex<State>

    init(_ first: Value) {
        current = Mutex(State(value: first))
        (changes, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var state: State { current.withLock { $0 } }

    func change(_ body: @Sendable (inout State) -> Void) {
        current.withLock { body(&$0) }
        sink.yield()
    }

    func finish() { sink.finish() }
}

/// The live stream of a command that runs until Ctrl-C. The stream reconnects by itself.
final class FollowedStream: Sendable {
    /// The attempts to open the stream.
    private struct State {
        var isAway = false
        var last: ClientError?
    }

    private let client: DoorwardClient
    private let report: @Sendable (_ message: String, _ isAway: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameter report: receives a message when the gateway becomes unreachable, and when it is reachable again.
    init(
        _ client: DoorwardClient,
        report: @escaping @Sendable (_ message: String, _ isAway: Bool) -> Void = { message, _ in
            StandardStream.error.line(message)
        }
    ) {
        (self.client, self.report) = (client, report)
    }

    /// Runs `body`, and converts the error with which the stream ends to a message for the user of the command.
    ///
    /// - Parameter revoked: the message if the right to the data ends.
    func run<Result>(revoked: String, _ body: (Live) async throws -> Result) async throws -> Result {
        do {
            return try await body(client.live { self.note($0) })
        } catch let error as DoorwardError {
            // The error of the connection from which the error of the stream was made has more details.
            if let last = state.withLock({ $0.last }), DoorwardError(last) == error { throw last }
            throw CommandFailure(error, revoked: revoked)
        }
    }

    private func note(_ event: LiveConnectionEvent) {
        let news = state.withLock { state -> (String, Bool)? in
            switch event {
            case .opened:
                defer { state.isAway = false }
                return state.isAway ? ("doorward: \(client.server) is back", false) : nil
            case .failed(let error):
                state.last = error
                guard DoorwardError(error).isTransient, !state.isAway else { return nil }
                state.isAway = true
                return ("\(Exit(of: error).message); trying again", true)
            }
        }
        if let (message, isAway) = news { report(message, isAway) }
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
