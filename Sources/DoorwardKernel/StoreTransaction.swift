package import DoorwardAudit
package import DoorwardDomain
package import DoorwardPolicy

/// The changes that become durable together.
package struct StoreTransaction: Sendable {
    /// The preconditions, checked before any of the changes.
    package var requires: [StorePrecondition]
    /// The changes of the tenancy, in order; each applies to the result of the previous ones.
    package var changes: [TenancyChange]
    /// The changes of uses and last checkpoints; applied after those of the tenancy.
    package var counters: [CounterChange]
    /// The changes of the stored state of the clock, in order.
    package var clock: [StoredClockChange]
    /// The changes of passwords, sessions and keys.
    package var credentials: [CredentialChange]
    /// The purchases that are redeemed, after the changes of the tenancy.
    package var purchases: [RedeemedPurchase]
    /// The changes of commands.
    package var commands: [CommandChange]
    /// The results of requests, stored for repeated requests. Refused if the store has an entry
    /// with the same key that is less than 24 hours old.
    package var idempotency: [IdempotencyEntry]
    /// The records to append to the logs, in order.
    package var records: [PendingRecord]
    /// The persons and days whose keys are destroyed in every log, after the records are written. Their personal values become
    /// unreadable, including those in this transaction. The records and their trees are not changed. A later record of the same
    /// person creates a new key.
    package var forgets: [PersonKeyOwner]
    /// The removals of the oldest records of logs, after everything else.
    package var truncations: [LogTruncation]

    package init(
        requires: [StorePrecondition] = [], changes: [TenancyChange] = [], counters: [CounterChange] = [],
        clock: [StoredClockChange] = [], credentials: [CredentialChange] = [], purchases: [RedeemedPurchase] = [],
        commands: [CommandChange] = [], idempotency: [IdempotencyEntry] = [], records: [PendingRecord] = [],
        forgets: [PersonKeyOwner] = [], truncations: [LogTruncation] = []
    ) {
        (self.requires, self.changes, self.counters, self.clock) = (requires, changes, counters, clock)
        (self.credentials, self.purchases, self.commands) = (credentials, purchases, commands)
        (self.idempotency, self.records, self.forgets, self.truncations) = (idempotency, records, forgets, truncations)
    }
}

/// A record to be written.
package struct PendingRecord: Sendable {
    /// The content; the store assigns the `seq`.
    package var body: RecordBody
    /// The index of an earlier record of the same transaction to which this record refers. The store adds the position of the
    /// earlier record to the details, as `counterpart` with `logId` and `seq`.
    package var counterpart: Int?

    package init(_ body: RecordBody, counterpart: Int? = nil) { (self.body, self.counterpart) = (body, counterpart) }

    /// A record of the kind `GATEWAY`.
    ///
    /// - Parameters:
    ///   - actor: who caused the event; by default the gateway itself.
    ///   - origin: the request that caused the event; `nil` if none did.
    package init(
        _ event: RecordEvent, in log: LogID = .gateway, id: RecordID, at now: Timestamp, actor: RecordActor = .gateway,
        origin: RequestOrigin? = nil, path: EntityPathIDs? = nil, target: RecordTarget? = nil,
        details: [String: RecordValue] = [:]
    ) {
        self.init(
            RecordBody(
                log: log, id: id, at: now, kind: .gateway, actor: actor, source: origin?.source ?? .gateway,
                clientAddress: origin?.clientAddress, requestID: origin?.requestID, path: path, event: event, target: target,
                details: details))
    }
}

/// The position and timestamp of a record.
package struct RecordPosition: Hashable, Sendable {
    /// The log that contains the record.
    package let log: LogID
    /// The record's number in the log, from 0.
    package let seq: UInt64
    /// The timestamp of the record: `at` of its body, or the last timestamp of the log if that is later.
    package let at: Timestamp

    package init(log: LogID, seq: UInt64, at: Timestamp) { (self.log, self.seq, self.at) = (log, seq, at) }
}

extension AccessRecord {
    /// The record's position.
    package var position: RecordPosition { RecordPosition(log: body.log, seq: seq, at: body.at) }
}

/// A change of a command.
package enum CommandChange: Sendable {
    /// Inserts a command; `intent` is the index of its intent among the transaction's records. Refused if that record is not
    /// the intent of this command.
    case begin(Command, intent: Int)
    /// Updates a command that has not ended, for example after a further intent under another rule.
    case update(Command)
    /// Ends a command with its outcome. Refused if the command has already ended.
    case end(Command)

    /// The command in its new state.
    package var command: Command {
        switch self {
        case .begin(let command, _), .update(let command), .end(let command): command
        }
    }
}

extension RecordBody {
    /// Whether the record is an intent of the command.
    package func isIntent(of command: Command) -> Bool {
        kind == .commandIntent && commandID == command.id && operation == command.operation
            && device?.deviceID == command.deviceID && actor == command.actor
    }
}

/// A command, the log of its intent, and the device's position when the intent was written. The command stays in that position,
/// like its intent, when the device is moved.
package struct StoredCommand: Hashable, Sendable {
    /// The command as last written.
    package let command: Command
    /// The log of the intent; the outcome is written to the same log.
    package let log: LogID
    /// The device and its position when the intent was written.
    package let device: DeviceSnapshot

    package init(command: Command, log: LogID, device: DeviceSnapshot) {
        (self.command, self.log, self.device) = (command, log, device)
    }
}

/// A change of a password, session or key.
package enum CredentialChange: Sendable {
    /// Sets a user's password hash: a PHC string, never the password.
    case setPassword(UserID, hash: String)
    /// Replaces a password hash by another one of the same password; does nothing if the stored hash is no longer `from`.
    case renewPassword(UserID, from: String, to: String)
    /// Inserts a session with its first refresh token, by digest. Refused if the user is disabled.
    case beginSession(Session, refreshDigest: [UInt8])
    /// Marks the old token as used and inserts the new one. Refused if the old one was already used.
    case rotateRefresh(SessionID, oldDigest: [UInt8], newDigest: [UInt8], expiresAt: Timestamp)
    /// Ends the session and invalidates its refresh tokens.
    case endSession(SessionID)
    /// Ends every session that the user has when the transaction takes effect, except one if it is given.
    case endSessions(of: UserID, except: SessionID? = nil)
    /// Inserts a password reset, by the digest of its token; replaces any earlier reset of the user.
    case offerReset(PasswordReset, digest: [UInt8])
    /// Deletes a password reset as used. Refused if no reset has this digest, or if the reset has expired at this instant.
    case useReset(digest: [UInt8], at: Timestamp)
    /// Deletes the password reset of this user, if there is one.
    case endReset(of: UserID)
    /// Deletes every password reset that this user has created for others.
    case endResets(createdBy: UserID)
    /// Replaces all recovery codes of a user by codes with these SHA-256 digests; an empty list removes them.
    case setRecoveryCodes(of: UserID, digests: [[UInt8]])
    /// Deletes a recovery code as used. Refused if the user has no code with this digest.
    case useRecoveryCode(of: UserID, digest: [UInt8])
    /// Stores the public key of a key pair whose private key is in a file; a different key stored before becomes a former key.
    case noteKey(KeyPurpose, publicHalf: [UInt8])
}

/// The purpose of a signing key of the gateway. Raw values are stored in the database.
package enum KeyPurpose: String, CaseIterable, Sendable {
    /// Signs access tokens, which clients send with each request.
    case accessTokens
    /// Signs the checkpoints of the access logs.
    case checkpoints
}

/// A refresh token as stored, identified by its digest; never the token itself.
package struct StoredRefreshToken: Hashable, Sendable {
    /// The session that the token belongs to.
    package let session: Session
    /// Whether it was already exchanged; a second use shows that it was stolen.
    package let isUsed: Bool
    /// Whether the session has ended, regardless of its `expiresAt`.
    package let isSessionEnded: Bool

    package init(session: Session, isUsed: Bool, isSessionEnded: Bool) {
        (self.session, self.isUsed, self.isSessionEnded) = (session, isUsed, isSessionEnded)
    }
}

/// An idempotency key, scoped by principal: the same text from two principals is two keys.
package struct IdempotencyKey: Hashable, Sendable {
    /// The principal's kind and id.
    package let principal: String
    /// 1 to 255 visible ASCII characters.
    package let key: String

    package init(principal: String, key: String) { (self.principal, self.key) = (principal, key) }
}

/// The stored result of an idempotency key: ids only. The response to a repeated request is
/// rendered again, according to the rights that its caller has at that time.
package struct IdempotencyEntry: Hashable, Sendable {
    /// The key that a repeated request uses.
    package let key: IdempotencyKey
    /// HMAC-SHA-256 of method, path and canonical body, under a key of the gateway.
    package let fingerprint: [UInt8]
    /// The command or entity that the first request created.
    package let result: IdempotentResult
    /// When the first request was received; entries are deleted by age.
    package let createdAt: Timestamp

    package init(key: IdempotencyKey, fingerprint: [UInt8], result: IdempotentResult, createdAt: Timestamp) {
        (self.key, self.fingerprint, self.result, self.createdAt) = (key, fingerprint, result, createdAt)
    }
}

/// The command or entity that a request with an idempotency key created.
package enum IdempotentResult: Hashable, Sendable {
    /// A command; the response is derived from its state.
    case command(CommandID)
    /// An entity of the type that the endpoint creates; the response is 201.
    case entity(EntityID<CreatedEntityTag>)
}

/// Placeholder for the type of the entity that a request creates.
package enum CreatedEntityTag {}

/// A purchase that a user has redeemed. It belongs to this user permanently, even after the user is deleted.
package struct RedeemedPurchase: Hashable, Sendable {
    /// The digest that identifies the purchase.
    package let digest: [UInt8]
    /// The user. Redeeming a purchase again changes nothing for this user, and is refused for every other one.
    package let userID: UserID
    /// When the user redeemed it first.
    package let at: Timestamp

    package init(digest: [UInt8], userID: UserID, at: Timestamp) {
        (self.digest, self.userID, self.at) = (digest, userID, at)
    }
}

/// The removal of the oldest records of a log: their content, their personal values, the commands that began with them, and the
/// keys of days of which no record is left. The log keeps its size, and its tree with all nodes.
///
/// Refused as `.inconsistent` if the log has fewer records, or if one of them is the intent of an open command. Records that were
/// removed before are skipped.
package struct LogTruncation: Hashable, Sendable {
    /// The log.
    package let log: LogID
    /// The number of the first record that is kept.
    package let firstSeq: UInt64

    package init(log: LogID, firstSeq: UInt64) { (self.log, self.firstSeq) = (log, firstSeq) }
}

/// The store's copy of the position of a log's newest checkpoint; the checkpoints themselves are in a file outside the store. The file is
/// never behind this value, unless it was replaced by an older one.
package struct LastCheckpoint: Hashable, Sendable {
    /// The log.
    package let log: LogID
    /// The generation of the log's origin, from 1; see `LogOrigin`.
    package let generation: Int
    /// The number of records under the newest checkpoint; 0 if none was signed in this generation.
    package let size: UInt64
    /// When that checkpoint was signed; `nil` if none was signed in this generation.
    package let signedAt: Timestamp?

    package init(log: LogID, generation: Int, size: UInt64, signedAt: Timestamp?) {
        (self.log, self.generation, self.size, self.signedAt) = (log, generation, size, signedAt)
    }
}
