import Crypto
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials

/// The use cases of a user's own credentials: sessions, password and recovery codes.
///
/// Only a signed-in user has credentials. For an API key or a guest link each of these fails as for an object out of reach.
package struct Credentials: UseCases, Sendable {
    let kernel: Kernel
    let hasher: PasswordHasher
    let signIn: SignIn
    let resets: PasswordResets

    package init(_ kernel: Kernel, hasher: PasswordHasher, signIn: SignIn, resets: PasswordResets) {
        (self.kernel, self.hasher, self.signIn, self.resets) = (kernel, hasher, signIn, resets)
    }

    /// The caller's valid sessions, oldest first.
    package func sessions(of caller: Caller) throws(GatewayError) -> [Session] {
        let (user, _) = try owner(caller)
        return signIn.sessions.sessions(of: user.id, at: clock.credentialNow())
    }

    /// Ends one of the caller's sessions; its tokens stop working at once.
    ///
    /// - Throws: `.notFound` for any other session.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func endSession(
        _ caller: Caller, _ id: SessionID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        let (user, _) = try owner(caller)
        guard signIn.sessions.session(id, at: clock.credentialNow())?.userID == user.id else { throw .notFound }
        guard !isDryRun else { return RemovalPreview(ended: [RecordTarget(type: "Session", id: id.description)]) }
        try await signIn.end(id, of: user, .signedOut, caller.origin)
        return nil
    }

    /// Changes the caller's password, and ends the caller's other sessions and password link.
    ///
    /// A wrong current password is limited and recorded like a failed sign-in.
    ///
    /// - Throws: `.invalid` if the new password violates the rules; `.unauthenticated` if the current one is wrong;
    ///   `.rateLimited`; `.unavailable`.
    package func changePassword(_ caller: Caller, current: Secret<String>, new: Secret<String>) async throws(GatewayError) {
        let (user, session) = try owner(caller)
        try PasswordRules.check(new, field: "newPassword")
        try await signIn.prove(user, by: current, caller.origin)
        let hash = try await hasher.hash(new, for: user.id)
        guard try await resets.set(hash, of: user, by: .session(session), caller.origin) else { throw .unauthenticated }
        signIn.forgetFailures(email: user.email)
    }

    /// Creates eight recovery codes for the caller, each of which can set the password once. Earlier codes become invalid.
    ///
    /// Requires the current password, because a person who has the codes keeps access to the account after the session has ended.
    ///
    /// - Throws: as `changePassword` for a wrong current password.
    package func createRecoveryCodes(_ caller: Caller, current: Secret<String>) async throws(GatewayError) -> [Secret<String>] {
        let (user, _) = try owner(caller)
        try await signIn.prove(user, by: current, caller.origin)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.new(random) }
        let digests = codes.map { RecoveryCode.digest(of: $0, for: user.id) }
        try await writer.change(caller) { (draft) throws(GatewayError) in
            // The user may have been deleted since the request was authenticated.
            guard draft.directory.user(user.id) != nil else { throw .unauthenticated }
            draft.transaction.credentials.append(.setRecoveryCodes(of: user.id, digests: digests))
            draft.appendRecord(.update, RecordTarget(user), after: ["recoveryCodes": .string("replaced")])
        }
        return codes
    }

    /// Sets a password with a recovery code, and ends every session of its user.
    ///
    /// Attempts are limited and recorded like sign-ins; an unknown address and a wrong code get the same response at the same
    /// cost.
    ///
    /// - Throws: as `changePassword`.
    package func resetPassword(
        email: String, recoveryCode: Secret<String>, newPassword: Secret<String>, origin: RequestOrigin
    ) async throws(GatewayError) {
        try PasswordRules.check(newPassword, field: "newPassword")
        let user = directory.current.user(email: email)
        let id = user?.id ?? SignIn.nobody
        let digest = RecoveryCode.digest(of: recoveryCode, for: id)
        var hash = ""
        try await signIn.prove(user, account: user?.email ?? email, origin) { () throws(GatewayError) in
            hash = try await hasher.hash(newPassword)
            let digests = try await mappingStoreErrors(await storeGuard.credentials.recoveryCodes(of: id))
            return digests.contains(digest) && user?.isEnabled == true
        }
        guard let user, try await resets.set(hash, of: user, by: .recoveryCode(digest: digest), origin) else {
            throw try await signIn.recordFailedAttempt(.signIn, origin)
        }
        signIn.forgetFailures(email: user.email)
    }

    private func owner(_ caller: Caller) throws(GatewayError) -> (User, SessionID) {
        guard let user = directory.current.user(caller.userID), let session = caller.sessionID else { throw .outOfReach }
        return (user, session)
    }
}

/// Recovery codes: 100 random bits each, in letters and digits that cannot be confused (Crockford's base 32).
enum RecoveryCode {
    static let count = 8
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let (groups, charactersOfGroup) = (4, 5)

    /// Generates a code, in groups with hyphens between them.
    static func new(_ random: RandomSource) -> Secret<String> {
        let characters = random.bytes(groups * charactersOfGroup).map { alphabet[Int($0 & 31)] }
        let parts = stride(from: 0, to: characters.count, by: charactersOfGroup).map {
            String(characters[$0..<$0 + charactersOfGroup])
        }
        return Secret(parts.joined(separator: "-"))
    }

    /// The SHA-256 digest of a code for its user. Ignores case, hyphens and spaces, and reads O as 0, I and L as 1.
    static func digest(of code: Secret<String>, for user: UserID) -> [UInt8] {
        let characters = code.reveal().prefix(64).uppercased().compactMap { character -> Character? in
            switch character {
            case "-", " ": nil
            case "O": "0"
            case "I", "L": "1"
            default: character
            }
        }
        return Array(SHA256.hash(data: Data("doorward/recovery/1 \(user) \(String(characters))".utf8)))
    }
}
