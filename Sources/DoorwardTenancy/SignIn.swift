package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
package import Metrics
import Synchronization

/// The use cases of signing in and out.
///
/// A session continues if its refresh token is exchanged before the session expires. Each refresh token can be exchanged once; a
/// second use ends the whole session, because two parties then have the token, unless it repeats an exchange whose answer may have
/// been lost: see `TokenExchanges`.
package final class SignIn: UseCases, Sendable {
    /// The valid sessions, against which access tokens are checked.
    package let sessions: Sessions
    let kernel: Kernel
    private let hasher: PasswordHasher
    private let refreshLifetime: Duration
    private let throttle: SignInThrottle
    private let failures: SignInFailures
    private let exchanges: TokenExchanges
    private let metrics: SignInMetrics

    /// - Parameters:
    ///   - refreshLifetime: how long a session lasts without being refreshed.
    ///   - failuresPerMinute: the maximum number of failed sign-ins from one network per minute; further ones have to wait.
    ///   - executor: writes the records of repeated failures; `nil` for the global one.
    package init(
        _ kernel: Kernel, sessions: Sessions, hasher: PasswordHasher, refreshLifetime: Duration, failuresPerMinute: Int,
        executor: (any TaskExecutor)?, metrics: any MetricsFactory
    ) {
        self.metrics = SignInMetrics(metrics)
        (self.kernel, self.sessions, self.hasher, self.refreshLifetime) = (kernel, sessions, hasher, refreshLifetime)
        throttle = SignInThrottle(clock: kernel.clock, random: kernel.random, failuresPerMinute: failuresPerMinute)
        failures = SignInFailures(kernel, executor: executor)
        exchanges = TokenExchanges(clock: kernel.clock, random: kernel.random)
    }

    /// Admits an address unless too many sign-ins from it failed within the last minute. `logIn` repeats this check, and checks
    /// the account too; call this function to check the address before the request body is read.
    ///
    /// - Throws: `.rateLimited`.
    package func admit(clientAddress: String?) throws(GatewayError) { try admit(email: nil, address: clientAddress) }

    /// Admits an address unless too many tokens of links from it were wrong within the last minute.
    ///
    /// - Throws: `.rateLimited`.
    package func admitLink(clientAddress: String?) throws(GatewayError) {
        try throttle.admit(.link, email: nil, address: clientAddress)
    }

    private func admit(email: String?, address: String?) throws(GatewayError) {
        try limited(throttle.admit(email: email, address: address))
    }

    /// Counts rate-limited attempts.
    private func limited(_ body: @autoclosure () throws(GatewayError) -> Void) throws(GatewayError) {
        do {
            try body()
        } catch {
            metrics.limited.increment()
            throw error
        }
    }

    /// Updates the gauge of the sessions.
    package func sampleMetrics() { metrics.sessions.set(Int64(sessions.count(at: clock.credentialNow()))) }

    /// Starts a session.
    ///
    /// An unknown address and a wrong password get the same response and have the same cost.
    ///
    /// - Throws: `.unauthenticated`, `.rateLimited`, or `.unavailable` if too many hashes are queued.
    package func logIn(email: String, password: Secret<String>, origin: RequestOrigin) async throws(GatewayError) -> SignedIn {
        let clientAddress = origin.clientAddress
        let user = directory.current.user(email: email)
        // All spellings of a user's address are the same account.
        let account = user?.email ?? email
        try admit(email: account, address: clientAddress)
        // Read the generation before the hash: the session is only started if the password was not changed in between.
        let generation = sessions.generation(of: user?.id ?? Self.nobody)
        // A password that exceeds the maximum length is not hashed, whether or not the user exists.
        let isAbsurd = password.reveal().utf8.count > PasswordRules.maxBytes
        let hash = isAbsurd ? nil : try await storedHash(of: user?.id ?? Self.nobody)
        let isRight = isAbsurd ? false : try await hasher.verify(password, against: hash)
        // Check the rate limit again, as concurrent attempts may have failed meanwhile. For a wrong password,
        // `recordFailureIfAdmitted` checks it below.
        if isRight { try admit(email: account, address: clientAddress) }
        guard let user, isRight, directory.current.user(user.id)?.isEnabled == true,
            let signedIn = try await begin(for: user, generation, origin)
        else {
            // A password that is too long does not count as a failed attempt for the account. It is rejected without computing a
            // hash; if it counted, an attacker could lock the account at almost no cost.
            throw try await recordFailure(of: user, account: account, counted: isAbsurd ? nil : account, origin)
        }
        throttle.resetFailures(email: account)
        await renew(hash, of: user, password)
        metrics.succeeded.increment()
        return signedIn
    }

    /// Exchanges a refresh token for a new one.
    ///
    /// Unknown tokens are counted for the client's network, as failed sign-ins are. A network that has to wait can still exchange
    /// valid tokens.
    ///
    /// - Throws: `.unauthenticated`; a token that was used before ends its session, unless it repeats the latest exchange.
    ///   `.rateLimited` for an unknown token from a network that has to wait.
    package func refresh(_ token: Secret<String>, origin: RequestOrigin) async throws(GatewayError) -> SignedIn {
        let digest = OneTimeToken.digest(of: token)
        guard let stored = try await stored(digest) else {
            try limited(throttle.recordFailureIfAdmitted(email: nil, address: origin.clientAddress))
            throw .unauthenticated
        }
        guard !stored.isSessionEnded, var session = sessions.session(stored.session.id, at: clock.credentialNow()),
            let user = directory.current.user(session.userID), user.isEnabled
        else { throw .unauthenticated }
        guard !stored.isUsed else { return try await repeatExchange(of: token, session, user, origin) }
        let next = exchanges.token(after: token)
        exchanges.begin(digest, of: session.id, from: origin.clientAddress)
        session.expiresAt = clock.credentialNow().advanced(by: refreshLifetime)
        let rotation = CredentialChange.rotateRefresh(
            session.id, oldDigest: digest, newDigest: OneTimeToken.digest(of: next), expiresAt: session.expiresAt)
        do {
            try await storeGuard.write(StoreTransaction(credentials: [rotation]))
        } catch .unauthenticated {
            // A concurrent request has used the token: handle this like a token that was used before.
            return try await repeatExchange(of: token, session, user, origin)
        }
        // A session that was ended while the token was exchanged is not extended.
        guard sessions.extend(session) else { throw .unauthenticated }
        return SignedIn(user: user, session: session, refreshToken: next)
    }

    /// Writes the summaries of failures that are not recorded yet. To be called when no more requests are served.
    package func stop() async throws(GatewayError) { try await failures.close() }

    /// Ends the caller's session; its tokens stop working at once.
    ///
    /// - Throws: `.outOfReach` for a caller without a session, such as an API key.
    package func logOut(_ caller: Caller) async throws(GatewayError) {
        guard let id = caller.sessionID else { throw .outOfReach }
        try await end(id, of: directory.current.user(caller.userID), .signedOut, caller.origin)
    }

    /// Ends the session of a refresh token, whether or not the token has been exchanged; does nothing if there is no such session.
    package func logOut(refreshToken token: Secret<String>, _ origin: RequestOrigin) async throws(GatewayError) {
        guard let stored = try await stored(OneTimeToken.digest(of: token)), !stored.isSessionEnded,
            let session = sessions.session(stored.session.id, at: clock.credentialNow())
        else { return }
        try await end(session.id, of: directory.current.user(session.userID), .signedOut, origin)
    }

    // MARK: - Private

    private func stored(_ digest: [UInt8]) async throws(GatewayError) -> StoredRefreshToken? {
        try await mappingStoreErrors(await storeGuard.credentials.refreshToken(digest: digest))
    }

    /// Checks the password of a signed-in user again, which is limited and recorded like a sign-in.
    ///
    /// - Throws: as `prove`; `.unavailable`.
    func prove(_ user: User, by password: Secret<String>, _ origin: RequestOrigin) async throws(GatewayError) {
        try await prove(user, account: user.email, origin) { () throws(GatewayError) in
            try await hasher.verify(password, against: try await storedHash(of: user.id), for: user.id)
        }
    }

    /// The user id to look up for unknown addresses, so that the store takes as long as for a known one.
    static let nobody = UserID(high: 0, low: 0)

    private func storedHash(of user: UserID) async throws(GatewayError) -> String? {
        try await mappingStoreErrors(await storeGuard.credentials.passwordHash(of: user))
    }

    /// Hashes the password again if the cost of the hash that it was verified against is not the configured one. A password that was
    /// set meanwhile stays.
    private func renew(_ verified: String?, of user: User, _ password: Secret<String>) async {
        guard let verified, hasher.isOutdated(verified) else { return }
        do {
            let hash = try await hasher.hash(password)
            try await storeGuard.write(StoreTransaction(credentials: [.renewPassword(user.id, from: verified, to: hash)]))
        } catch {
            // The old hash still verifies; the next sign-in tries again.
        }
    }

    /// Passes the costs of these users' stored hashes to the hasher, because another cost may have been configured when the passwords were
    /// set.
    package func raiseHighestCost(ofHashesOf users: [UserID]) async throws(GatewayError) {
        for user in users { hasher.raiseHighestCost(of: try await storedHash(of: user)) }
    }

    /// Writes a new session and makes it valid.
    ///
    /// - Returns: `nil`, without a session, if the user was disabled or deleted, or all their sessions were ended meanwhile.
    private func begin(for user: User, _ generation: UInt64, _ origin: RequestOrigin) async throws(GatewayError) -> SignedIn? {
        let now = clock.credentialNow()
        let session = Session(
            id: random.id(at: now), userID: user.id, createdAt: now, expiresAt: now.advanced(by: refreshLifetime))
        let token = OneTimeToken.new(random)
        let beginning = StoreTransaction(
            credentials: [.beginSession(session, refreshDigest: OneTimeToken.digest(of: token))],
            records: [record(.signedIn, of: user, session.id, origin)])
        do {
            try await storeGuard.write(beginning)
        } catch .unauthenticated {
            return nil
        }
        guard sessions.begin(session, generation) else {
            try await storeGuard.write(terminations(of: [session.id], of: user, origin))
            return nil
        }
        return SignedIn(user: user, session: session, refreshToken: token)
    }

    /// Starts a session for a user whose identity was proved otherwise than by a password, as by an invitation.
    ///
    /// - Parameter generation: the generation of the user's sessions before the proof.
    /// - Throws: `.unauthenticated` if the user was disabled or all their sessions were ended meanwhile.
    func start(for user: User, _ generation: UInt64, _ origin: RequestOrigin) async throws(GatewayError) -> SignedIn {
        guard let signedIn = try await begin(for: user, generation, origin) else { throw .unauthenticated }
        metrics.succeeded.increment()
        return signedIn
    }

    /// Repeats the answer to the latest exchange, if that may have been lost; otherwise ends the session.
    private func repeatExchange(
        of token: Secret<String>, _ session: Session, _ user: User, _ origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        guard exchanges.takeRepeat(OneTimeToken.digest(of: token), of: session.id, from: origin.clientAddress) else {
            try await end(session.id, of: user, .refreshReused, origin)
            throw .unauthenticated
        }
        // The session as the exchange has extended it, unless it was ended meanwhile.
        guard let current = sessions.session(session.id, at: clock.credentialNow()) else { throw .unauthenticated }
        return SignedIn(user: user, session: current, refreshToken: exchanges.token(after: token))
    }

    func end(_ id: SessionID, of user: User?, _ event: RecordEvent, _ origin: RequestOrigin) async throws(GatewayError) {
        // End the session in memory first: from here on its tokens are invalid, even if the write fails.
        sessions.end(id)
        try await storeGuard.write(
            StoreTransaction(credentials: [.endSession(id)], records: [record(event, of: user, id, origin)]))
    }

    private func record(_ event: RecordEvent, of user: User?, _ session: SessionID, _ origin: RequestOrigin) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .session, actor: user.map { RecordActor($0) } ?? .outside,
                source: origin.source, clientAddress: origin.clientAddress, requestID: origin.requestID, event: event,
                target: RecordTarget(type: "Session", id: session.description)))
    }
}

// MARK: - Forgotten passwords

extension SignIn {
    /// The changes and records for ending several sessions of one user.
    func terminations(of ids: [SessionID], of user: User, _ origin: RequestOrigin) -> StoreTransaction {
        StoreTransaction(credentials: ids.map { .endSession($0) }, records: ids.map { record(.signedOut, of: user, $0, origin) })
    }

    /// Checks a proof of a user's identity other than a sign-in. Attempts are limited like sign-ins, and failures are counted and
    /// recorded together with failed sign-ins.
    ///
    /// - Parameters:
    ///   - user: the user; `nil` if no user has the address.
    ///   - account: the email address of the user, or the address as entered.
    ///   - isRight: checks the proof, at the same cost whether or not there is such a user.
    /// - Throws: `.unauthenticated` for a wrong proof; `.rateLimited`.
    func prove(
        _ user: User?, account: String, _ origin: RequestOrigin, _ isRight: () async throws(GatewayError) -> Bool
    ) async throws(GatewayError) {
        try admit(email: account, address: origin.clientAddress)
        if try await isRight() {
            // Concurrent attempts may have failed meanwhile.
            return try admit(email: account, address: origin.clientAddress)
        }
        throw try await recordFailure(of: user, account: account, counted: account, origin)
    }

    /// Counts and records a wrong password or other proof, unless a wait has begun since the attempt was admitted.
    ///
    /// - Parameter counted: the account whose failures are counted, in addition to those of the network; `nil` for none.
    /// - Returns: the error to throw.
    private func recordFailure(
        of user: User?, account: String, counted: String?, _ origin: RequestOrigin
    ) async throws(GatewayError) -> GatewayError {
        try limited(throttle.recordFailureIfAdmitted(email: counted, address: origin.clientAddress))
        metrics.failed.increment()
        try await failures.record(origin, account: account, user: user)
        return .unauthenticated
    }

    /// Counts and records an attempt with a token of a link that is not valid, which delays further attempts at links but no sign-in, or
    /// with a proof that was used meanwhile.
    ///
    /// - Returns: the error to throw.
    func recordFailedAttempt(_ kind: SignInThrottle.Attempt, _ origin: RequestOrigin) async throws(GatewayError) -> GatewayError {
        throttle.recordFailure(kind, email: nil, address: origin.clientAddress)
        try await failures.record(origin, account: nil, user: nil)
        return .unauthenticated
    }

    /// Records an attempt with a token of the set-up that is not valid. `Setup` counts them itself, for all networks together.
    ///
    /// - Returns: the error to throw.
    func recordFailedSetup(_ origin: RequestOrigin) async throws(GatewayError) -> GatewayError {
        try await failures.record(origin, account: nil, user: nil)
        return .unauthenticated
    }

    /// Resets the failure count of an account whose password was reset: guesses of the old password do not apply to the new one.
    func forgetFailures(email: String) { throttle.resetFailures(email: email) }
}

/// A session that was just started or refreshed, with the only copy of its refresh token.
package struct SignedIn: Sendable {
    /// The signed-in user.
    package let user: User
    /// The session that was started or refreshed.
    package let session: Session
    /// Valid for one refresh; the store has only its digest.
    package let refreshToken: Secret<String>
}
