import DoorwardClient
import Synchronization

/// The live stream of a command that runs until Ctrl-C. The stream reconnects by itself.
struct FollowedStream: Sendable {
    private let live: Live
    private let connection: Connection

    /// - Parameter report: receives a message when the gateway becomes unreachable, and when it is reachable again.
    init(
        _ client: DoorwardClient,
        report: @escaping @Sendable (_ message: String, _ isAway: Bool) -> Void = { message, _ in
            StandardStream.error.line(message)
        }
    ) {
        let connection = Connection(server: "\(client.server)", report: report)
        self.connection = connection
        live = client.live { connection.note($0) }
    }

    /// Runs `body`, and converts the error with which the stream ends to a message for the user of the command.
    ///
    /// - Parameter revoked: the message if the right to the data ends.
    func run<Result>(revoked: String, _ body: (Live) async throws -> Result) async throws -> Result {
        do {
            return try await body(live)
        } catch let error as DoorwardError {
            throw connection.failure(error, revoked: revoked)
        }
    }
}

/// The attempts to open a stream.
private final class Connection: Sendable {
    private struct State {
        var isAway = false
        var last: ClientError?
    }

    private let server: String
    private let report: @Sendable (_ message: String, _ isAway: Bool) -> Void
    private let state = Mutex(State())

    init(server: String, report: @escaping @Sendable (_ message: String, _ isAway: Bool) -> Void) {
        (self.server, self.report) = (server, report)
    }

    func note(_ event: LiveConnectionEvent) {
        let news = state.withLock { state -> (String, Bool)? in
            switch event {
            case .opened:
                defer { state.isAway = false }
                return state.isAway ? ("doorward: \(server) is back", false) : nil
            case .failed(let error):
                state.last = error
                guard DoorwardError(error).isTransient, !state.isAway else { return nil }
                state.isAway = true
                return ("\(Exit(of: error).message); trying again", true)
            }
        }
        if let (message, isAway) = news { report(message, isAway) }
    }

    /// Returns the error of the connection from which an error of the stream was made, as it has more details.
    func failure(_ error: DoorwardError, revoked: String) -> any Error {
        if let last = state.withLock({ $0.last }), DoorwardError(last) == error { return last }
        return CommandFailure(error, revoked: revoked)
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
