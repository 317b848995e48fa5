package import DoorwardDomain
import Synchronization

/// The sessions that count, in memory: a request's token is a pointer to one of them, and ends with it.
package final class Sessions: Sendable {
    private let live = Mutex<[SessionID: Session]>([:])

    package init() {}

    /// The session, unless it has ended or is past its time.
    package func session(_ id: SessionID, at now: Timestamp) -> Session? {
        live.withLock { $0[id] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    func begin(_ session: Session) { live.withLock { $0[session.id] = session } }

    func end(_ id: SessionID) { live.withLock { $0[id] = nil } }

    func load(_ sessions: [Session]) {
        live.withLock { $0 = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first } }
    }

    /// Forgets those past their time, so that the table is bounded by the sessions that count.
    func prune(at now: Timestamp) { live.withLock { live in live = live.filter { now < $0.value.expiresAt } } }
}
