import DoorwardAPI
import DoorwardClient
import Synchronization

/// What the demo's screen shows of the house, kept current by the live stream.
final class DemoBoard: Sendable {
    private struct State {
        var locks: [Wire.Device] = []
        var news: [DemoView.News] = []
        /// Why the locks or the events are not kept current any more.
        var failure: (any Error)?
        /// The time in the house at which this was shown first.
        var failedAt: String?
    }

    /// Maximum number of events that are kept for display.
    private static let capacity = 200
    private let state = Mutex(State())

    var locks: [Wire.Device] { state.withLock { $0.locks } }
    var news: [DemoView.News] { state.withLock { $0.news } }

    /// - Returns: true: the screen does not close by itself.
    func add(_ news: DemoView.News) -> Bool {
        state.withLock { $0.news = ($0.news + [news]).suffix(Self.capacity) }
        return true
    }

    /// Keeps the locks current until the task is cancelled, or the stream ends for good.
    func watchLocks(_ live: Live, order: ([Wire.Device]) -> [Wire.Device]) async {
        await end {
            for try await locks in live.watch(LiveQuery<Devices.Entry>.all) {
                let ordered = order(locks.value.map(\.lock))
                state.withLock { $0.locks = ordered }
            }
        }
    }

    /// Runs `body`, and notes the error with which it ends.
    func end(after body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            guard !Task.isCancelled else { return }
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// Why what the screen shows is out of date, and what to do; empty while it is live.
    ///
    /// - Parameter time: the present time in the house.
    func notice(_ status: LiveStatus, at time: String) -> [String] {
        state.withLock { state in
            if let failure = state.failure {
                let since = state.failedAt ?? time
                state.failedAt = since
                return ["Not live since \(since): \(Self.reason(failure))", "Press q and start the demo again"]
            }
            guard case .stale = status else { return [] }
            return ["Not live: the gateway does not answer; connecting again"]
        }
    }

    /// Why a stream has ended.
    static func reason(_ error: any Error) -> String {
        switch error as? DoorwardError {
        case .revoked, .notLoaded: "the owner may not see this any more"
        case .sessionEnded, .notSignedIn: "the owner's session has ended"
        case .refused(let refusal):
            refusal.message.isEmpty
                ? "the gateway refused the request (\(refusal.code.printable))" : refusal.message.printable
        case .notConnected(let why), .noResponse(let why), .unusable(let why), .unreadable(let why): why.printable
        case .timedOut, .nameInUse, .undeclared, nil: "the live stream has ended"
        }
    }
}
