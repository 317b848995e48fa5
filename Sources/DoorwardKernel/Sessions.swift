import Crypto
package import DoorwardDomain
import FoundationEssentials
import HeapModule
import Synchronization

/// The valid sessions, in memory. A request's access token refers to one of them, and becomes invalid when that session ends.
///
/// The cost of an operation on one session, or on one user's sessions, does not depend on the number of other sessions.
package final class Sessions: Sendable {
    private let table = Mutex(SessionTable())

    package init() {}

    /// The session, unless it has ended or expired.
    package func session(_ id: SessionID, at now: Timestamp) -> Session? {
        table.withLock { $0.live[id] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    /// The current generation of the user's sessions. Ending all sessions of the user starts a new generation.
    package func generation(of user: UserID) -> UInt64 { table.withLock { $0.generations[user, default: 0] } }

    /// Adds a session that was just started.
    ///
    /// - Parameter generation: the user's generation before the password was verified.
    /// - Returns: false, without adding the session, if all sessions of the user were ended since.
    package func begin(_ session: Session, _ generation: UInt64) -> Bool {
        table.withLock { table in
            _ = table.forget(before: session.createdAt, limit: SessionTable.prunedPerInsert)
            guard table.generations[session.userID, default: 0] == generation else {
                // The session is in the store: its end is recorded.
                table.put(session)
                table.end(session.id)
                return false
            }
            table.put(session)
            return true
        }
    }

    /// Extends a session that is still valid.
    ///
    /// - Returns: false if it has ended meanwhile.
    package func extend(_ session: Session) -> Bool {
        table.withLock { table in
            guard table.live[session.id] != nil else { return false }
            table.put(session)
            return true
        }
    }

    /// The user's valid sessions, and expired ones that have not been pruned yet.
    package func ids(of user: UserID) -> [SessionID] { table.withLock { $0.byUser[user, default: []].sorted() } }

    /// The user's valid sessions, oldest first.
    package func sessions(of user: UserID, at now: Timestamp) -> [Session] {
        table.withLock { table in
            table.byUser[user, default: []].compactMap { table.live[$0] }.filter { now < $0.expiresAt }
        }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// All valid sessions, and expired ones that have not been pruned yet.
    package var ids: [SessionID] { table.withLock { Array($0.live.keys) } }

    /// Ends a session, if it is valid.
    package func end(_ id: SessionID) { table.withLock { $0.end(id) } }

    /// Ends all sessions of one user, except one if it is given. A sign-in that was authenticated before this call can no longer begin a session.
    ///
    /// - Returns: the sessions that were ended.
    @discardableResult
    package func endAll(of user: UserID, except kept: SessionID? = nil) -> [SessionID] {
        table.withLock { table in
            table.generations[user, default: 0] += 1
            let ids = table.byUser[user, default: []].filter { $0 != kept }.sorted()
            for id in ids { table.end(id) }
            return ids
        }
    }

    /// Adds sessions that were read from the store. A session that has ended since is not added; a
    /// session that was extended since keeps its later expiry.
    package func load(_ sessions: [Session]) {
        table.withLock { table in
            for session in sessions where table.ended[session.id] == nil {
                if let known = table.live[session.id], known.expiresAt >= session.expiresAt { continue }
                table.put(session)
            }
        }
    }

    /// The number of valid sessions.
    package func count(at now: Timestamp) -> Int {
        prune(at: now)
        return table.withLock { $0.live.count }
    }

    /// Removes expired sessions in small batches, so that no request waits for all of them.
    package func prune(at now: Timestamp) { while table.withLock({ $0.forget(before: now, limit: 64) }) {} }

    /// The number of entries examined so far for expired sessions, for a test of the cost.
    var examinedCount: Int { table.withLock { $0.examinedCount } }
}

private struct SessionTable {
    /// When to check whether a session has expired. The session may have been extended since this entry was added.
    private struct Expiry: Comparable {
        let at: Timestamp
        let id: SessionID

        static func < (a: Self, b: Self) -> Bool { (a.at, a.id) < (b.at, b.id) }
    }

    /// How many expired sessions to examine when a session is added. More than one, so that pruning keeps up with sign-ins.
    static let prunedPerInsert = 4

    private(set) var live: [SessionID: Session] = [:]
    /// The keys of `live`, by user.
    private(set) var byUser: [UserID: Set<SessionID>] = [:]
    /// Sessions that were ended by this process, with their expiry.
    private(set) var ended: [SessionID: Timestamp] = [:]
    /// How many times all sessions of a user were ended together; absent means never.
    var generations: [UserID: UInt64] = [:]
    private(set) var examinedCount = 0
    /// One expiry for each session in `live` or `ended`.
    private var expiries = Heap<Expiry>()

    mutating func put(_ session: Session) {
        if live[session.id] == nil, ended[session.id] == nil { expiries.insert(Expiry(at: session.expiresAt, id: session.id)) }
        live[session.id] = session
        byUser[session.userID, default: []].insert(session.id)
    }

    mutating func end(_ id: SessionID) {
        if let session = remove(id) { ended[id] = session.expiresAt }
    }

    private mutating func remove(_ id: SessionID) -> Session? {
        guard let session = live.removeValue(forKey: id) else { return nil }
        byUser[session.userID]?.remove(id)
        if byUser[session.userID]?.isEmpty == true { byUser[session.userID] = nil }
        return session
    }

    /// - Returns: whether there may be more expired sessions.
    mutating func forget(before now: Timestamp, limit count: Int) -> Bool {
        for _ in 0..<count {
            guard let first = expiries.min, first.at <= now else { return false }
            expiries.removeMin()
            examinedCount += 1
            let end = live[first.id]?.expiresAt ?? ended[first.id]
            if let end, now < end {
                expiries.insert(Expiry(at: end, id: first.id))
            } else {
                _ = remove(first.id)
                ended[first.id] = nil
            }
        }
        return true
    }
}
