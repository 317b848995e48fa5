import DoorwardClient

/// Fetches something from the gateway each second, and goes on while the gateway is away.
struct Polling: Sendable {
    let client: DoorwardClient

    private static let pause = Duration.seconds(1)

    /// Goes on until it is cancelled, or `show` returns `false`.
    ///
    /// - Parameters:
    ///   - report: is called with a message when the gateway goes away, and when it is back.
    ///   - show: returns whether to go on.
    /// - Throws: every error that waiting does not help against.
    func run<Content>(
        report: (_ message: String, _ isAway: Bool) -> Void = { message, _ in StandardStream.error.line(message) },
        fetch: () async throws -> Content, show: (Content) async -> Bool
    ) async throws {
        var isAway = false
        while true {
            try await Task.sleep(for: Self.pause)
            let content: Content
            do {
                content = try await fetch()
            } catch let error as ClientError where Self.isPassing(error) {
                if !isAway { report("\(Exit(of: error).message); trying again", true) }
                isAway = true
                continue
            }
            if isAway { report("doorward: \(client.server) is back", false) }
            isAway = false
            guard await show(content) else { return }
        }
    }

    /// A gateway that is away or just stopping may come back.
    private static func isPassing(_ error: ClientError) -> Bool {
        switch error {
        case .noConnection, .noAnswer: true
        case .refused(let refusal): refusal.status == 503 || refusal.status == 429
        default: false
        }
    }
}
