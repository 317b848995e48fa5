import DoorwardClient

/// Fetches a resource every second, and continues when the gateway is unreachable for a while.
struct Polling: Sendable {
    let client: DoorwardClient

    private static let pause = Duration.seconds(1)

    /// Runs until it is cancelled, or until `show` returns `false`.
    ///
    /// - Parameters:
    ///   - report: receives a message when the gateway becomes unreachable, and when it is reachable again.
    ///   - show: returns whether to continue.
    /// - Throws: every error that a retry cannot resolve.
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

    /// Whether a retry may succeed: the gateway is unreachable or unavailable, or has rate limited the request.
    private static func isPassing(_ error: ClientError) -> Bool {
        switch error {
        case .noConnection, .noResponse: true
        case .refused(let refusal): refusal.status == 503 || refusal.status == 429
        default: false
        }
    }
}
