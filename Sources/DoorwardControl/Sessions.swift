package import DoorwardDomain
import Synchronization

/// The sessions that count, in memory: a request's token is a pointer to one of them, and ends with it.
package final class Sessions: Sendable {
    private struct Table {
        var live: [SessionID: Session] = [:]
        /// Those that ended here, with the instant until which they would have counted.
        var ended: [SessionID: Timestamp] = [:]
        /// How often all sessions of a user were ended at once; a user without an entry: never.
        var generations: [UserID: UInt64] = [:]
    }

    private let table = Mutex(Table())

    package init() {}

    /// The session, unless it has ended or is past its time.
    package func session(_ id: SessionID, at now: Timestamp) -> Session? {
        table.withLock { $0.live[id] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    /// Which of the user's generations of sessions counts at this moment.
    func generation(of user: UserID) -> UInt64 { table.withLock { $0.generations[user, default: 0] } }

    /// - Parameter generation: the one that counted when the password was looked at.
    /// - Returns: false, and nothing began, when all sessions of the user were ended since.
    func begin(_ session: Session, _ generation: UInt64) -> Bool {
        table.withLock { table in
            guard table.generations[session.userID, default: 0] == generation else { return false }
            table.live[session.id] = session
            return true
        }
    }

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

    /// Ends every session of one user, those too that are about to begin with what counted until now.
    ///
    /// - Returns: those that were ended.
    @discardableResult
    func endAll(of user: UserID) -> [SessionID] {
        table.withLock { table in
            table.generations[user, default: 0] += 1
            let ids = table.live.values.filter { $0.userID == user }.map(\.id).sorted()
            for id in ids {
                if let session = table.live.removeValue(forKey: id) { table.ended[id] = session.expiresAt }
            }
            return ids
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

    /// How many count.
    func count(at now: Timestamp) -> Int { table.withLock { $0.live.values.count { now < $0.expiresAt } } }

    /// Forgets those past their time, so that the table is bounded by the sessions that count.
    func prune(at now: Timestamp) {
        table.withLock { table in
            table.live = table.live.filter { now < $0.value.expiresAt }
            table.ended = table.ended.filter { now < $0.value }
        }
    }
}
