package import DoorwardDomain
import Synchronization

/// The sessions that count, in memory: a request's token is a pointer to one of them, and ends with it.
package final class Sessions: Sendable {
    private struct Table {
        var live: [SessionID: Session] = [:]
        /// Those that ended here, with the instant until which they would have counted.
        var ended: [SessionID: Timestamp] = [:]
    }

    private let table = Mutex(Table())

    package init() {}

    /// The session, unless it has ended or is past its time.
    package func session(_ id: SessionID, at now: Timestamp) -> Session? {
        table.withLock { $0.live[id] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    func begin(_ session: Session) { table.withLock { $0.live[session.id] = session } }

    /// Lets a session that still counts go on.
    ///
    /// - Returns: false when it has ended meanwhile.
    func extend(_ session: Session) -> Bool {
        table.withLock { table in
            guard table.live[session.id] != nil else { return false }
            table.live[session.id] = session
            return true
        }
    }

    /// The sessions of one user that count.
    func ids(of user: UserID) -> [SessionID] {
        table.withLock { table in table.live.values.filter { $0.userID == user }.map(\.id).sorted() }
    }

    func end(_ id: SessionID) {
        table.withLock { table in
            if let session = table.live.removeValue(forKey: id) { table.ended[id] = session.expiresAt }
        }
    }

    /// Adds what the store held a moment ago. What has ended or gone on since is as it is here.
    func load(_ sessions: [Session]) {
        table.withLock { table in
            for session in sessions where table.ended[session.id] == nil {
                if let known = table.live[session.id], known.expiresAt >= session.expiresAt { continue }
                table.live[session.id] = session
            }
        }
    }

    /// Forgets those past their time, so that the table is bounded by the sessions that count.
    func prune(at now: Timestamp) {
        table.withLock { table in
            table.live = table.live.filter { now < $0.value.expiresAt }
            table.ended = table.ended.filter { now < $0.value }
        }
    }
}
