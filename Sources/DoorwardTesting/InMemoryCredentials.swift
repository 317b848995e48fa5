internal import DoorwardControl
internal import DoorwardDomain

/// Passwords, sessions, refresh tokens, password resets and public keys of an `InMemoryStore`.
struct InMemoryCredentials {
    var passwords: [UserID: String] = [:]
    /// The keys of each purpose, oldest first.
    var publicKeys: [KeyPurpose: [[UInt8]]] = [:]
    /// The digests of unused codes.
    var recoveryCodes: [UserID: Set<[UInt8]>] = [:]
    private var sessions: [SessionID: (session: Session, isEnded: Bool)] = [:]
    private var tokens: [[UInt8]: (session: SessionID, isUsed: Bool)] = [:]

    private var resets: [UserID: (reset: PasswordReset, digest: [UInt8])] = [:]

    mutating func apply(_ change: CredentialChange, in tenancy: InMemoryTenancy) throws(StoreRefusal) {
        switch change {
        case .setPassword(let user, let hash):
            guard tenancy.exists(.user(user)) else { throw .parentUnknown }
            passwords[user] = hash
        case .renewPassword(let user, let old, let new):
            if passwords[user] == old { passwords[user] = new }
        case .beginSession(let session, let digest):
            guard tenancy.isEnabled(session.userID) else { throw .userDisabled(session.userID) }
            guard sessions[session.id] == nil else { throw .duplicate }
            sessions[session.id] = (session, false)
            try add(digest, of: session.id)
        case .rotateRefresh(let id, let old, let new, let expiresAt):
            try rotate(id, old: old, new: new, expiresAt: expiresAt)
        case .endSession(let id): sessions[id]?.isEnded = true
        case .endSessions(let user, let kept):
            for id in sessions.keys where id != kept && sessions[id]?.session.userID == user { sessions[id]?.isEnded = true }
        case .offerReset(let reset, let digest):
            guard resets.values.allSatisfy({ $0.digest != digest || $0.reset.userID == reset.userID }) else { throw .duplicate }
            guard tenancy.exists(.user(reset.userID)) else { throw .parentUnknown }
            resets[reset.userID] = (reset, digest)
        case .useReset(let digest, let now):
            guard let reset = passwordReset(digest: digest), now < reset.expiresAt else { throw .resetTokenSpent }
            resets[reset.userID] = nil
        case .endReset(let user): resets[user] = nil
        case .endResets(let creator): resets = resets.filter { $0.value.reset.createdBy != creator }
        case .setRecoveryCodes(let user, let digests):
            guard tenancy.exists(.user(user)) || digests.isEmpty else { throw .parentUnknown }
            guard Set(digests).count == digests.count else { throw .duplicate }
            recoveryCodes[user] = Set(digests)
        case .useRecoveryCode(let user, let digest):
            guard recoveryCodes[user]?.remove(digest) != nil else { throw .recoveryCodeSpent(user) }
        case .noteKey(let purpose, let publicHalf):
            if publicKeys[purpose]?.last != publicHalf { publicKeys[purpose, default: []].append(publicHalf) }
        }
    }

    /// Removes everything of a removed user, including the password resets that the user has created for others.
    mutating func removeAll(of user: UserID) {
        passwords[user] = nil
        tokens = tokens.filter { sessions[$0.value.session]?.session.userID != user }
        sessions = sessions.filter { $0.value.session.userID != user }
        resets = resets.filter { $0.key != user && $0.value.reset.createdBy != user }
        recoveryCodes[user] = nil
    }

    private mutating func rotate(_ id: SessionID, old: [UInt8], new: [UInt8], expiresAt: Timestamp) throws(StoreRefusal) {
        guard let entry = sessions[id], !entry.isEnded else { throw .refreshTokenSpent(id) }
        guard let token = tokens[old], token.session == id else { throw .refreshTokenSpent(id) }
        guard !token.isUsed else { throw .refreshTokenSpent(id) }
        tokens[old]?.isUsed = true
        sessions[id]?.session.expiresAt = expiresAt
        try add(new, of: id)
    }

    private mutating func add(_ digest: [UInt8], of session: SessionID) throws(StoreRefusal) {
        guard tokens[digest] == nil else { throw .duplicate }
        tokens[digest] = (session, false)
    }

    func liveSessions(at now: Timestamp) -> [Session] {
        sessions.values.filter { !$0.isEnded && now < $0.session.expiresAt }.map(\.session).sorted { $0.id < $1.id }
    }

    func passwordReset(digest: [UInt8]) -> PasswordReset? { resets.values.first { $0.digest == digest }?.reset }

    func refreshToken(digest: [UInt8]) -> StoredRefreshToken? {
        guard let token = tokens[digest], let entry = sessions[token.session] else { return nil }
        return StoredRefreshToken(session: entry.session, isUsed: token.isUsed, isSessionEnded: entry.isEnded)
    }
}
