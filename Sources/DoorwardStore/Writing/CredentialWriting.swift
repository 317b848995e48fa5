internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Writes passwords, sessions, refresh tokens, password resets, recovery codes and public keys into their tables.
enum CredentialWriting {
    static func apply(_ change: CredentialChange, in db: Database) throws {
        switch change {
        case .setPassword(let user, let hash):
            try db.run(
                """
                INSERT INTO credentials (user_id, password_hash) VALUES (?, ?)
                ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash
                """, [user.blob, hash])
        case .renewPassword(let user, let old, let new):
            try db.run(
                "UPDATE credentials SET password_hash = ? WHERE user_id = ? AND password_hash = ?", [new, user.blob, old])
        case .beginSession(let session, let digest): try begin(session, refreshDigest: digest, in: db)
        case .rotateRefresh(let session, let old, let new, let expiresAt):
            try rotate(session, old: old, new: new, expiresAt: expiresAt, in: db)
        case .endSession(let id):
            try db.run("UPDATE sessions SET is_ended = 1 WHERE id = ?", [id.blob])
        case .endSessions(let user, let kept):
            try db.run(
                "UPDATE sessions SET is_ended = 1 WHERE user_id = ? AND is_ended = 0 AND id IS NOT ?", [user.blob, kept?.blob])
        case .offerReset(let reset, let digest): try offer(reset, digest: digest, in: db)
        case .useReset(let digest, let now):
            try db.run("DELETE FROM password_resets WHERE digest = ? AND expires_at > ?", [Data(digest), now.milliseconds])
            guard db.changesCount == 1 else { throw ConstraintViolation(.resetTokenSpent) }
        case .endReset(let user):
            try db.run("DELETE FROM password_resets WHERE user_id = ?", [user.blob])
        case .endResets(let maker):
            try db.run("DELETE FROM password_resets WHERE made_by = ?", [maker.blob])
        case .setRecoveryCodes(let user, let digests):
            try db.run("DELETE FROM recovery_codes WHERE user_id = ?", [user.blob])
            for digest in digests {
                try db.run("INSERT INTO recovery_codes (user_id, digest) VALUES (?, ?)", [user.blob, Data(digest)])
            }
        case .useRecoveryCode(let user, let digest):
            try db.run("DELETE FROM recovery_codes WHERE user_id = ? AND digest = ?", [user.blob, Data(digest)])
            guard db.changesCount == 1 else { throw ConstraintViolation(.recoveryCodeSpent(user)) }
        case .noteKey(let purpose, let publicHalf):
            try db.run(
                """
                INSERT INTO former_gateway_keys (purpose, number, public_half)
                SELECT purpose, 1 + (SELECT count(*) FROM former_gateway_keys AS former WHERE former.purpose = gateway_keys.purpose),
                    public_half
                FROM gateway_keys WHERE purpose = ? AND public_half <> ?
                """, [purpose.rawValue, Data(publicHalf)])
            try db.run(
                """
                INSERT INTO gateway_keys (purpose, public_half) VALUES (?, ?)
                ON CONFLICT (purpose) DO UPDATE SET public_half = excluded.public_half
                """, [purpose.rawValue, Data(publicHalf)])
        }
    }

    /// Assigns a purchase to the user who redeems it. It stays assigned after the user is deleted.
    static func redeem(_ purchase: RedeemedPurchase, in db: Database) throws {
        let isUser = try db.firstRow("SELECT 1 FROM users WHERE id = ?", [purchase.userID.blob]) { _ in true }
        guard isUser == true else { throw ConstraintViolation(.parentUnknown) }
        try db.run(
            "INSERT INTO purchases (digest, user_id, redeemed_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING",
            [Data(purchase.digest), purchase.userID.blob, purchase.at.milliseconds])
        let owner = try db.firstRow("SELECT user_id FROM purchases WHERE digest = ?", [Data(purchase.digest)]) {
            try $0.value(Data.self)
        }
        guard owner == purchase.userID.blob else { throw ConstraintViolation(.purchaseRedeemed) }
    }

    private static func begin(_ session: Session, refreshDigest: [UInt8], in db: Database) throws {
        let isEnabled = try db.firstRow("SELECT is_enabled FROM users WHERE id = ?", [session.userID.blob]) {
            try $0.value(Bool.self)
        }
        guard isEnabled == true else { throw ConstraintViolation(.userDisabled(session.userID)) }
        try db.run(
            "INSERT INTO sessions (id, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
            [session.id.blob, session.userID.blob, session.createdAt.milliseconds, session.expiresAt.milliseconds])
        try insert(refreshDigest, of: session.id, in: db)
        try Pruning.sessions(expiredAt: session.createdAt, limit: Pruning.besideAnInsert, in: db)
    }

    private static func offer(_ reset: PasswordReset, digest: [UInt8], in db: Database) throws {
        try db.run(
            """
            INSERT INTO password_resets (user_id, id, digest, created_at, expires_at, made_by) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, digest = excluded.digest,
                created_at = excluded.created_at, expires_at = excluded.expires_at, made_by = excluded.made_by
            """,
            [
                reset.userID.blob, reset.id.blob, Data(digest), reset.createdAt.milliseconds, reset.expiresAt.milliseconds,
                reset.madeBy?.blob,
            ])
    }

    private static func rotate(
        _ session: SessionID, old: [UInt8], new: [UInt8], expiresAt: Timestamp, in db: Database
    ) throws {
        try db.run(
            "UPDATE refresh_tokens SET is_used = 1 WHERE digest = ? AND session_id = ? AND is_used = 0",
            [Data(old), session.blob])
        guard db.changesCount == 1 else { throw ConstraintViolation(.refreshTokenSpent(session)) }
        try db.run(
            "UPDATE sessions SET expires_at = ? WHERE id = ? AND is_ended = 0", [expiresAt.milliseconds, session.blob])
        guard db.changesCount == 1 else { throw ConstraintViolation(.refreshTokenSpent(session)) }
        try insert(new, of: session, in: db)
    }

    private static func insert(_ digest: [UInt8], of session: SessionID, in db: Database) throws {
        try db.run("INSERT INTO refresh_tokens (digest, session_id) VALUES (?, ?)", [Data(digest), session.blob])
    }
}
