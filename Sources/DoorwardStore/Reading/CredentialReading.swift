internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Reads password hashes, sessions, refresh tokens, password resets, recovery codes and public keys.
enum CredentialReading {
    static func passwordHash(of user: UserID, in db: Database) throws -> String? {
        try db.firstRow("SELECT password_hash FROM credentials WHERE user_id = ?", [user.blob]) { try $0.value() }
    }

    static func liveSessions(at now: Timestamp, in db: Database) throws -> [Session] {
        try db.rows(
            "SELECT id, user_id, created_at, expires_at FROM sessions WHERE is_ended = 0 AND expires_at > ? ORDER BY id",
            [now.milliseconds], read: session)
    }

    static func refreshToken(digest: [UInt8], in db: Database) throws -> StoredRefreshToken? {
        try db.firstRow(
            """
            SELECT sessions.id, user_id, created_at, expires_at, is_used, is_ended
            FROM refresh_tokens JOIN sessions ON sessions.id = refresh_tokens.session_id WHERE digest = ?
            """, [Data(digest)]
        ) { columns in
            StoredRefreshToken(session: try session(&columns), isUsed: try columns.value(), isSessionEnded: try columns.value())
        }
    }

    static func passwordReset(digest: [UInt8], in db: Database) throws -> PasswordReset? {
        try db.firstRow(
            "SELECT id, user_id, made_by, created_at, expires_at FROM password_resets WHERE digest = ?", [Data(digest)]
        ) { columns in
            PasswordReset(
                id: try columns.value(), userID: try columns.value(), createdBy: try columns.optional(),
                createdAt: try columns.value(), expiresAt: try columns.value())
        }
    }

    static func recoveryCodes(of user: UserID, in db: Database) throws -> [[UInt8]] {
        try db.rows("SELECT digest FROM recovery_codes WHERE user_id = ? ORDER BY digest", [user.blob]) { try $0.value() }
    }

    static func publicKey(for purpose: KeyPurpose, in db: Database) throws -> [UInt8]? {
        try db.firstRow("SELECT public_half FROM gateway_keys WHERE purpose = ?", [purpose.rawValue]) { try $0.value() }
    }

    static func publicKeys(for purpose: KeyPurpose, in db: Database) throws -> [[UInt8]] {
        let former: [[UInt8]] = try db.rows(
            "SELECT public_half FROM former_gateway_keys WHERE purpose = ? ORDER BY number", [purpose.rawValue]
        ) { try $0.value() }
        return former + (try publicKey(for: purpose, in: db).map { [$0] } ?? [])
    }

    private static func session(_ columns: inout ColumnReader) throws -> Session {
        Session(
            id: try columns.value(), userID: try columns.value(), createdAt: try columns.value(), expiresAt: try columns.value())
    }
}

/// Reads the results stored under idempotency keys.
enum IdempotencyReading {
    static func entry(_ key: IdempotencyKey, in db: Database) throws -> IdempotencyEntry? {
        // A key with a NUL character is never stored. If such a key were bound as a C string, it
        // would end at that character and could match another key.
        guard !key.principal.utf8.contains(0), !key.key.utf8.contains(0) else { return nil }
        return try db.firstRow(
            "SELECT fingerprint, command_id, entity_id, created_at FROM idempotency WHERE principal = ? AND key = ?",
            [key.principal, key.key]
        ) { columns in
            let fingerprint: [UInt8] = try columns.value()
            let commandID: CommandID? = try columns.optional()
            let entityID: EntityID<CreatedEntityTag>? = try columns.optional()
            let result: IdempotentResult? = commandID.map { .command($0) } ?? entityID.map { .entity($0) }
            guard let result else { throw columns.unreadable() }
            return IdempotencyEntry(key: key, fingerprint: fingerprint, result: result, createdAt: try columns.value())
        }
    }
}
