package import DoorwardDomain
internal import DoorwardPolicy
internal import Metrics
import Synchronization

/// The use cases of signing in and out.
///
/// A session lasts as long as its refresh tokens are exchanged in time; each is good for one exchange, and one that comes
/// a second time ends the whole session, since two people hold it.
package final class SignIn: Sendable {
    /// The sessions that count, which access tokens are checked against.
    package let sessions: Sessions
    private let directory: PublishedDirectory
    private let ledger: Ledger
    private let hasher: PasswordHasher
    private let clock: any GatewayClock
    private let random: RandomSource
    private let refreshLifetime: Duration
    private let throttle: SignInThrottle
    private let failures: SignInFailures
    private let metrics: SignInMetrics

    /// - Parameters:
    ///   - refreshLifetime: how long a session lasts without being refreshed.
    ///   - failuresPerMinute: failed sign-ins from one network within a minute; the next have to wait.
    ///   - executor: where the records of repeated failures are written; `nil` for the global one.
    init(
        directory: PublishedDirectory, sessions: Sessions, ledger: Ledger, hasher: PasswordHasher, clock: any GatewayClock,
        random: RandomSource, refreshLifetime: Duration, failuresPerMinute: Int, executor: (any TaskExecutor)?,
        metrics: SignInMetrics
    ) {
        self.metrics = metrics
        (self.directory, self.sessions, self.ledger, self.hasher) = (directory, sessions, ledger, hasher)
        (self.clock, self.random, self.refreshLifetime) = (clock, random, refreshLifetime)
        throttle = SignInThrottle(clock: clock, random: random, failuresPerMinute: failuresPerMinute)
        failures = SignInFailures(ledger: ledger, clock: clock, random: random, executor: executor)
    }

    /// Lets an address pass unless too many sign-ins from it failed within the last minute. `logIn` asks again, for the
    /// account too; this is for those who want to know before they read what is asked.
    ///
    /// - Throws: `.rateLimited`.
    package func admit(clientAddress: String?) throws(GatewayError) { try admit(email: nil, address: clientAddress) }

    private func admit(email: String?, address: String?) throws(GatewayError) {
        try limited { () throws(GatewayError) in try throttle.admit(email: email, address: address) }
    }

    /// Counts what the throttle refuses.
    private func limited(_ body: () throws(GatewayError) -> Void) throws(GatewayError) {
        do {
            try body()
        } catch {
            metrics.limited.increment()
            throw error
        }
    }

    /// Sets the gauge of the sessions.
    func sampleMetrics() { metrics.sessions.set(Int64(sessions.count(at: clock.now()))) }

    /// Begins a session.
    ///
    /// An unknown address and a wrong password have one answer, and cost the same.
    ///
    /// - Throws: `.unauthenticated`, `.rateLimited`, `.unavailable` when too many hashes wait.
    package func logIn(
        email: String, password: Secret<String>, origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        let clientAddress = origin.clientAddress
        let user = directory.current.user(email: email)
        // Every spelling of a user's address is one account.
        let account = user?.email ?? email
        try admit(email: account, address: clientAddress)
        // Asked before the hash is read: a session that begins with it counts only if the password was not set anew meanwhile.
        let generation = sessions.generation(of: user?.id ?? Self.nobody)
        // What is too long for a password costs no hash, known user or not.
        let isAbsurd = password.reveal().utf8.count > PasswordRules.longestBytes
        let isRight = isAbsurd ? false : try await verify(password, of: user)
        // Checked again, whether the password is right or not: concurrent attempts wait for those that failed meanwhile.
        if isRight { try admit(email: account, address: clientAddress) }
        guard let user, isRight, directory.current.user(user.id)?.isEnabled == true,
            let signedIn = try await begin(for: user, generation, origin)
        else {
            // An impossible password is not counted for the account: it costs no hash, so it could delay the account for free.
            try limited { () throws(GatewayError) in
                try throttle.noteFailureIfAdmitted(email: isAbsurd ? nil : account, address: clientAddress)
            }
            metrics.failed.increment()
            try await failures.record(origin, account: account, user: user)
            throw .unauthenticated
        }
        throttle.noteSuccess(email: account)
        await renewHash(of: user, password)
        metrics.succeeded.increment()
        return signedIn
    }

    /// Exchanges a refresh token for a new one.
    ///
    /// - Throws: `.unauthenticated`; a token that was used before ends its session.
    package func refresh(
        _ token: Secret<String>, origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        let digest = OneTimeToken.digest(of: token)
        let stored = try await storing { () throws(StoreError) in try await ledger.credentials.refreshToken(digest: digest) }
        guard let stored, !stored.isSessionEnded, var session = sessions.session(stored.session.id, at: clock.now()),
            let user = directory.current.user(session.userID), user.isEnabled
        else { throw .unauthenticated }
        guard !stored.isUsed else { throw try await endReused(session, user, origin) }
        let next = OneTimeToken.new(random)
        session.expiresAt = clock.now().advanced(by: refreshLifetime)
        let rotation = CredentialChange.rotateRefresh(
            session.id, oldDigest: digest, newDigest: OneTimeToken.digest(of: next), expiresAt: session.expiresAt)
        do {
            try await ledger.write(StoreTransaction(credentials: [rotation]))
        } catch .unauthenticated {
            // Its twin was faster: the same as a token that was used before.
            throw try await endReused(session, user, origin)
        }
        // A session that was ended while the token was exchanged stays ended.
        guard sessions.extend(session) else { throw .unauthenticated }
        return SignedIn(user: user, session: session, refreshToken: next)
    }

    /// Writes the failures that were counted and are not written yet. Called when no request is served any more.
    func stop() async throws(GatewayError) { try await failures.close() }

    /// Ends the caller's session; its tokens stop working at once.
    package func logOut(_ caller: Caller) async throws(GatewayError) {
        guard let id = caller.sessionID else { throw .unauthenticated }
        try await end(id, of: directory.current.user(caller.userID), .signedOut, caller.origin)
    }

    // MARK: - Private

    private func verify(_ password: Secret<String>, of user: User?) async throws(GatewayError) -> Bool {
        try await hasher.verify(password, against: try await storedHash(of: user?.id ?? Self.nobody))
    }

    /// Asked for whoever signs in, so that the store takes as long for an unknown address.
    private static let nobody = UserID(high: 0, low: 0)

    private func storedHash(of user: UserID) async throws(GatewayError) -> String? {
        try await storing { () throws(StoreError) in try await ledger.credentials.passwordHash(of: user) }
    }

    /// Hashes the password anew where the configured cost has changed since.
    private func renewHash(of user: User, _ password: Secret<String>) async {
        do {
            guard hasher.isOutdated(try await storedHash(of: user.id)) else { return }
            let hash = try await hasher.hash(password)
            try await ledger.write(StoreTransaction(credentials: [.setPassword(user.id, hash: hash)]))
        } catch {
            // The old hash still verifies; the next sign-in tries again.
        }
    }

    /// Learns what the passwords of those cost who may have been made before the cost was configured.
    func noteCosts(of users: [UserID]) async throws(GatewayError) {
        for user in users { hasher.noteCost(of: try await storedHash(of: user)) }
    }

    /// - Returns: `nil`, and no session, where the user was disabled or all their sessions were ended meanwhile.
    private func begin(for user: User, _ generation: UInt64, _ origin: RequestOrigin) async throws(GatewayError) -> SignedIn? {
        let now = clock.now()
        let session = Session(
            id: random.id(at: now), userID: user.id, createdAt: now, expiresAt: now.advanced(by: refreshLifetime))
        let token = OneTimeToken.new(random)
        let beginning = StoreTransaction(
            credentials: [.beginSession(session, refreshDigest: OneTimeToken.digest(of: token))],
            records: [record(.signedIn, of: user, session.id, origin)])
        do {
            try await ledger.write(beginning)
        } catch .unauthenticated {
            return nil
        }
        guard sessions.begin(session, generation) else {
            try await ledger.write(ends(of: [session.id], of: user, origin).transaction)
            return nil
        }
        return SignedIn(user: user, session: session, refreshToken: token)
    }

    private func endReused(_ session: Session, _ user: User, _ origin: RequestOrigin) async throws(GatewayError) -> GatewayError {
        try await end(session.id, of: user, .refreshReused, origin)
        return .unauthenticated
    }

    private func end(
        _ id: SessionID, of user: User?, _ event: RecordEvent, _ origin: RequestOrigin
    ) async throws(GatewayError) {
        // First in memory: from here on no token of the session works, whatever the disk says.
        sessions.end(id)
        try await ledger.write(
            StoreTransaction(credentials: [.endSession(id)], records: [record(event, of: user, id, origin)]))
    }

    private func record(_ event: RecordEvent, of user: User?, _ session: SessionID?, _ origin: RequestOrigin) -> PendingRecord {
        let now = clock.now()
        var body = RecordBody(
            log: .gateway, id: random.id(at: now), at: now, kind: .session, actor: user.map { Actor($0) } ?? .outside,
            source: origin.source, clientAddress: origin.clientAddress, requestID: origin.requestID, event: event)
        if let session { body.target = RecordTarget(type: "Session", id: session.description) }
        return PendingRecord(body)
    }
}

// MARK: - Forgotten passwords

extension SignIn {
    /// The end of several sessions of one user as it is written down.
    struct SessionEnds {
        let ids: [SessionID]
        let credentials: [CredentialChange]
        let records: [PendingRecord]

        var transaction: StoreTransaction { StoreTransaction(credentials: credentials, records: records) }
    }

    func ends(of ids: [SessionID], of user: User, _ origin: RequestOrigin) -> SessionEnds {
        SessionEnds(
            ids: ids, credentials: ids.map { .endSession($0) }, records: ids.map { record(.signedOut, of: user, $0, origin) })
    }

    /// Counts and writes down an attempt with a token that is good for nothing.
    ///
    /// - Returns: what to throw.
    func fail(_ origin: RequestOrigin) async throws(GatewayError) -> GatewayError {
        throttle.noteFailure(email: nil, address: origin.clientAddress)
        try await failures.record(origin, account: nil, user: nil)
        return .unauthenticated
    }

    /// What was guessed before of an account says nothing of its new password.
    func forgetFailures(email: String) { throttle.noteSuccess(email: email) }
}

/// A session that has just begun or gone on, with the one copy of its refresh token.
package struct SignedIn: Sendable {
    /// Who signed in.
    package let user: User
    /// The session that has begun or gone on.
    package let session: Session
    /// Good for one refresh; the store has its digest alone.
    package let refreshToken: Secret<String>
}
