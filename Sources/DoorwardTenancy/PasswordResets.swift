import Crypto
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials

/// The use cases of forgotten passwords: creating a one-time link for a user, and setting a password with it.
package struct PasswordResets: UseCases, Sendable {
    let kernel: Kernel
    let hasher: PasswordHasher
    let signIn: SignIn

    package init(_ kernel: Kernel, hasher: PasswordHasher, signIn: SignIn) {
        (self.kernel, self.hasher, self.signIn) = (kernel, hasher, signIn)
    }

    /// Creates a single-use link that sets a user's password. The link replaces an earlier link of the user.
    ///
    /// The holder of a link can sign in as its user, so only a super admin can create one.
    ///
    /// - Throws: `.outOfReach` if the user is not visible to the caller; `.denied` with `hasReach`
    ///   if the user is visible but the caller is not a super admin; `.notFound` if the caller is a
    ///   super admin and the id is unknown; `.conflict` if the user is disabled.
    package func offer(_ caller: Caller, to id: UserID) async throws(GatewayError) -> PasswordReset.Offer {
        let token = OneTimeToken.new(random)
        return try await writer.change(
            caller, reach: [.user(id)],
            body: { (draft) throws(GatewayError) in
                let user = try draft.directory.visibleUser(id, to: draft.subject)
                // A link gives access to the account, so creating a link requires the right to create accounts.
                try draft.require(.usersCreate, on: .gateway)
                guard let creator = draft.subject.userID else { throw GatewayError.outOfReach }
                guard user.isEnabled else { throw GatewayError.conflict("This user is disabled; enable the user first.") }
                let reset = PasswordReset(of: user.id, createdBy: creator, at: draft.time.expiryInstant, random)
                draft.transaction.credentials.append(.offerReset(reset, digest: OneTimeToken.digest(of: token)))
                draft.appendRecord(
                    .create, RecordTarget(reset), in: draft.directory.portfolios(where: user.id), after: reset.auditFields)
                return PasswordReset.Offer(user: user, token: token, expiresAt: reset.expiresAt)
            }
        )
    }

    /// Sets a password with a token, and ends every session of its user.
    ///
    /// Once this returns, the old password and the sessions that began with it are invalid.
    ///
    /// - Throws: `.invalid` if the password violates the rules; `.unauthenticated` if the token is unknown, used, replaced or
    ///   expired, or if its user is disabled or deleted; `.rateLimited`; `.unavailable`.
    package func use(_ token: Secret<String>, newPassword: Secret<String>, origin: RequestOrigin) async throws(GatewayError) {
        try PasswordRules.check(newPassword, field: "newPassword")
        guard let token = OneTimeToken.wellFormed(token) else { throw .unauthenticated }
        try signIn.admitLink(clientAddress: origin.clientAddress)
        let digest = OneTimeToken.digest(of: token)
        guard let user = try await holder(of: digest) else { throw try await signIn.recordFailedAttempt(.link, origin) }
        let hash = try await hasher.hash(newPassword)
        guard try await set(hash, of: user, by: .link(digest: digest), origin) else {
            throw try await signIn.recordFailedAttempt(.link, origin)
        }
        signIn.forgetFailures(email: user.email)
    }

    /// The user whose password the token currently sets. The store deletes resets that a change has ended; this function also
    /// checks the expiry, that the user is enabled, and that the creator is still an enabled super admin.
    private func holder(of digest: [UInt8]) async throws(GatewayError) -> User? {
        let reset = try await mappingStoreErrors(await storeGuard.credentials.passwordReset(digest: digest))
        let tenancy = directory.current
        guard let reset, clock.credentialNow() < reset.expiresAt, let user = tenancy.user(reset.userID), user.isEnabled
        else { return nil }
        guard let creator = reset.createdBy else { return user }
        return tenancy.user(creator).map { $0.isEnabled && $0.isSuperAdmin } == true ? user : nil
    }

    /// Writes the new hash, and ends the user's sessions, password link and invitation to set a first password.
    ///
    /// - Returns: false, without a change, if the proof is not valid any more.
    func set(_ hash: String, of user: User, by proof: PasswordProof, _ origin: RequestOrigin) async throws(GatewayError) -> Bool {
        let kept = proof.sessionID
        let ended = signIn.sessions.ids(of: user.id).filter { $0 != kept }
        let endings = signIn.terminations(of: ended, of: user, origin).records
        var late: [SessionID] = []
        do {
            try await writer.change(
                Caller(userID: user.id, sessionID: kept, origin: origin),
                body: { (draft) throws(GatewayError) in
                    // The user may have been deleted, or the session ended, while the password was hashed.
                    guard draft.directory.user(user.id) != nil else { throw .unauthenticated }
                    if let kept, signIn.sessions.session(kept, at: draft.time.expiryInstant) == nil { throw .unauthenticated }
                    draft.setPassword(of: user, hash, by: proof)
                    draft.transaction.records += endings
                },
                // Also end sessions that began with the old password while the transaction was written. The next change of the
                // password waits for this, so it sees which sessions have ended.
                afterwards: { _, _ in
                    late = signIn.sessions.endAll(of: user.id, except: kept).filter { id in !ended.contains(id) }
                })
        } catch .unauthenticated {
            return false
        } catch {
            // Whether the password was changed is unknown: end the sessions in either case.
            signIn.sessions.endAll(of: user.id)
            throw error
        }
        if !late.isEmpty { try await storeGuard.write(signIn.terminations(of: late, of: user, origin)) }
        return true
    }
}

/// The credential with which a person may set a password.
enum PasswordProof: Sendable {
    /// The token of a password link, by its digest.
    case link(digest: [UInt8])
    /// A recovery code, by its digest.
    case recoveryCode(digest: [UInt8])
    /// The current password, in a session that remains valid.
    case session(SessionID)

    var sessionID: SessionID? { if case .session(let id) = self { id } else { nil } }
}

extension TenancyUnitOfWork {
    fileprivate mutating func setPassword(of user: User, _ hash: String, by proof: PasswordProof) {
        let how: String
        switch proof {
        case .link(let digest):
            transaction.credentials.append(.useReset(digest: digest, at: time.expiryInstant))
            how = "set_by_link"
        case .recoveryCode(let digest):
            transaction.credentials.append(.useRecoveryCode(of: user.id, digest: digest))
            how = "set_by_recovery_code"
        case .session: how = "changed"
        }
        transaction.credentials += [
            .setPassword(user.id, hash: hash), .endSessions(of: user.id, except: proof.sessionID), .endReset(of: user.id),
        ]
        for invitation in directory.invitations(of: user.email) where invitation.accountID == user.id { end(invitation) }
        appendRecord(.update, RecordTarget(user), after: ["password": .string(how)])
    }
}

extension RecordTarget {
    init(_ reset: PasswordReset) { self.init(type: "PasswordReset", id: reset.id.description) }
}

/// Bearer tokens of 256 random bits. The store keeps only a digest of each token.
enum OneTimeToken {
    private static let byteCount = 32
    /// The number of characters of a token.
    private static let length = 43

    /// Generates a token, in the alphabet of `Base64URL`.
    static func new(_ random: RandomSource) -> Secret<String> {
        Secret(Base64URL.encode(random.bytes(byteCount)))
    }

    /// The token in a text that people hand on, without what cannot be part of it: chat programs add punctuation to links.
    ///
    /// - Returns: `nil` if no token begins the text. Such a text is a mistake and not a guess, so it is not counted.
    static func wellFormed(_ text: Secret<String>) -> Secret<String>? {
        let token = text.reveal().utf8.prefix(length)
        return Base64URL.decode(token)?.count == byteCount ? Secret(String(decoding: token, as: UTF8.self)) : nil
    }

    /// The URL of a page of the gateway that uses a token. The token is in the fragment, which browsers do not send to servers, so
    /// it appears in no server log.
    ///
    /// - Parameter base: such as `https://locks.example.org`, with or without a trailing slash; `nil` returns the path only.
    static func url(of page: String, _ token: Secret<String>, under base: String?) -> Secret<String> {
        url(of: "\(page)#token=\(token.reveal())", under: base)
    }

    /// A URL of the gateway that contains a secret.
    static func url(of path: String, under base: String?) -> Secret<String> {
        var base = base ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        return Secret("\(base)/\(path)")
    }

    /// The SHA-256 digest; a random token cannot be guessed, so it needs no slow hash.
    static func digest(of token: Secret<String>) -> [UInt8] { Array(SHA256.hash(data: Data(token.reveal().utf8))) }
}

extension PasswordReset {
    /// A password reset with the only copy of its token, to be given to the user.
    package struct Offer: Sendable {
        /// The user whose password the reset sets.
        package let user: User
        /// The token for `POST /auth/reset-password`. It is not stored.
        package let token: Secret<String>
        /// When the token expires.
        package let expiresAt: Timestamp

        /// The URL of the page on which the password is set, under the gateway's public URL `base`; see `OneTimeToken.url`.
        package func url(under base: String?) -> Secret<String> { OneTimeToken.url(of: "reset-password", token, under: base) }
    }
}
