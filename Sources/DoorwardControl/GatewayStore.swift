package import DoorwardAudit
package import DoorwardDomain
package import DoorwardPolicy

/// The durable store of the gateway. One implementation uses SQLite; every implementation passes the conformance kit in
/// `DoorwardTesting`.
///
/// Only the wiring code has access to the whole protocol: `StoreGuard` owns the store, is the only caller of `commit`, and gives
/// each use case only the protocol that it reads through.
package protocol GatewayStore: AccessLogStore, TenancyStore, CredentialStore, CommandStore, StoreMaintenance {
    /// Writes the whole transaction or nothing, and returns once it is durable. Transactions take effect in the order of the
    /// calls; transactions that wait for a flush share one flush.
    ///
    /// Every write uses this function. After `.refused`, no part of the transaction is durable;
    /// after `.failed`, this is unknown until the store has been reopened.
    ///
    /// - Returns: the position of each record, in the order of `transaction.records`.
    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition]
}

/// The logs: their records, and the Merkle trees over them. Only transactions append and remove records, and destroy keys.
package protocol AccessLogStore: Sendable {
    /// Records in the order of (`at`, `logId`, `seq`) or the reverse. The cost of a page is bounded, so a page may be short or
    /// empty although a next page exists. Throws the list errors: `.tooManyReads`, and `.readTimedOut` if not even a short page
    /// was found in time. Cancelling the task stops the read.
    func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage

    /// Counts records. The cost of a call is bounded, so it may count a part of them only; see `RecordCounts.next`. Throws the
    /// list errors. Cancelling the task stops the read.
    func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts

    /// One record by its id, in any log; `nil` if there is none.
    func record(_ id: RecordID) async throws(StoreError) -> AccessRecord?

    /// One record by its id, if it is in one of the scopes. A lookup of a record in another scope takes as long as a lookup of an
    /// unknown id.
    func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord?

    /// The stored records of a log in order, starting at `seq` or at the first retained record, whichever is later; `nil` if
    /// the log has no record.
    func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange?

    /// The records with these numbers for an export, with the personal values whose keys exist, in order. A record that was removed
    /// or does not exist is left out. Throws the list errors, and waits as lists of the reader do.
    ///
    /// - Parameter byteCount: when the records have so many bytes, the list ends before the next record whose number is a multiple of
    ///   256.
    func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for reader: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord]

    /// The logs that contain readable personal values of this user; empty after the user's keys were destroyed.
    func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID]

    /// The root hash of one complete subtree of the log's Merkle tree. The subtree covers 2^`level` leaves, from leaf `index` ·
    /// 2^`level` on; at level 0 it is one leaf hash. Also available for removed records; `nil` if the tree has no such subtree
    /// yet.
    func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]?

    /// The root hashes of several complete subtrees, as of `node`, in one read; `nil` if one of them is absent.
    ///
    /// - Parameter reader: reads many hashes as a list of this reader, and throws the list errors; `nil` reads the few of one
    ///   proof.
    func nodes(_ nodes: [MerkleNode], of log: LogID, for reader: ListReader?) async throws(StoreError) -> [[UInt8]]?

    /// Every log that has a record or a checkpoint mark, with its size, in the order of the logs' ids.
    func logHeads() async throws(StoreError) -> [LogHead]

    /// The frontier of the tree over all records of the log; `nil` if the log has no record.
    func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier?
}

/// The entities of the tenancy, and the counters stored with them.
package protocol TenancyStore: Sendable {
    /// Calls `receive` with each entity of the tenancy, parents before children.
    func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError)

    /// The number of taken uses of each guest access; accesses without a use are omitted. Used at the start and in recovery.
    func usesTaken() async throws(StoreError) -> [GuestAccessID: Int]

    /// The stored state of the gateway's clock; `nil` before the first `StoredClockChange`.
    func storedClock() async throws(StoreError) -> StoredClock?
}

/// Commands, and the results of requests with idempotency keys.
package protocol CommandStore: Sendable {
    /// Commands that have an intent and no outcome, oldest first, except those whose intent was removed from its
    /// log. Used at the start, before any command is sent, and in recovery.
    func openCommands() async throws(StoreError) -> [StoredCommand]

    /// A command as last written; `nil` if there is none, or its intent was removed from its log.
    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand?

    /// The command, if the query matches it; the query's `deviceID`, `offset` and `limit` are ignored. A lookup of a command that
    /// does not match takes as long as a lookup of an unknown id.
    func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand?

    /// Commands, newest first; `total` is the number of all matches, independent of the page.
    /// Throws `.pageTooDeep` for a page that would skip too many commands, and the errors of lists.
    func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int)

    /// The result stored under this key, unless it is older than `oldest`.
    func idempotentAnswer(_ key: IdempotencyKey, notOlderThan oldest: Timestamp) async throws(StoreError) -> IdempotencyEntry?
}

/// Passwords, sessions and keys.
package protocol CredentialStore: Sendable {
    /// The password's hash as a PHC string; `nil` for a user without a password.
    func passwordHash(of user: UserID) async throws(StoreError) -> String?

    /// Sessions that have neither ended nor expired. Used at the start and in recovery.
    func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session]

    /// The refresh token with this SHA-256 digest, used or not.
    func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken?

    /// The password reset whose token has this SHA-256 digest, even if expired; `nil` once it is used or replaced.
    func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset?

    /// The SHA-256 digests of the user's unused recovery codes, ascending.
    func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]]

    /// The public key of the gateway's own key pair for `purpose`; `nil` before `.noteKey`.
    func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]?

    /// The public keys that the gateway's key pair for `purpose` has had, oldest first; the last one is `publicKey(for:)`.
    func publicKeys(for purpose: KeyPurpose) async throws(StoreError) -> [[UInt8]]
}

/// Maintenance of the store as a whole.
package protocol StoreMaintenance: Sendable {
    /// Whether a transaction can currently be written.
    func isWritable() async -> Bool

    /// Writes a consistent copy of the store, as of one instant between two transactions, to a new file that only its owner can
    /// read. Commits continue meanwhile. The file gets its name only once it is complete and durable. `path` is an absolute path to
    /// a file that does not exist, in a directory that does.
    func backup(to path: String) async throws(StoreBackupError) -> StoreBackup
    /// Checks whether `backup` would begin now, and returns its canonical path.
    func checkBackup(to path: String) async throws(StoreBackupError) -> String

    /// Makes the erasures and removals that were committed final: destroys the wrapping keys of erased persons, in the file
    /// outside the database too, and leaves no copy of erased or removed content in the files. Call it after the commit.
    ///
    /// - Returns: false if the keys are destroyed, but a reader such as a backup still needs old pages of the database.
    /// - Throws: `.failed` or `.unavailable` if the keys cannot be destroyed now. A start repeats it.
    func finishErasures() async throws(StoreError) -> Bool

    /// Completes queued work, checkpoints and closes. Nothing is accepted afterwards.
    func close() async throws(StoreError)
}

/// Consecutive stored records of one log, and the extent of the log.
package struct LogRange: Hashable, Sendable {
    /// The `seq` of the first retained record; if none is retained, the `seq` of the next record.
    package let firstSeq: UInt64
    /// The number of records ever appended: the size of the log's tree, and the `seq` of the next record.
    package let size: UInt64
    /// The records, at most as many as requested.
    package let entries: [Entry]

    package init(firstSeq: UInt64, size: UInt64, entries: [Entry]) {
        (self.firstSeq, self.size, self.entries) = (firstSeq, size, entries)
    }

    /// A record without its personal values, which are stored beside it.
    package struct Entry: Hashable, Sendable {
        /// The record's number in the log.
        package let seq: UInt64
        /// The canonical bytes, from which `leafHash` is computed.
        package let bytes: [UInt8]
        /// The leaf hash as stored.
        package let leafHash: [UInt8]

        package init(seq: UInt64, bytes: [UInt8], leafHash: [UInt8]) {
            (self.seq, self.bytes, self.leafHash) = (seq, bytes, leafHash)
        }
    }
}

/// Why a store operation failed.
package enum StoreError: Error, Equatable, Sendable {
    /// The transaction violates a constraint of the store, such as the uniqueness of email addresses. No part of it was written.
    case refused(StoreRefusal)
    /// The disk or the database failed. Whether a transaction is durable is unknown.
    case failed(String)
    /// The store is closed, or has failed before and accepts no more writes; or the task was cancelled.
    case unavailable
    /// Too many list reads are queued for the same user or portfolio.
    case tooManyReads
    /// Reading a list took longer than the limit for one request.
    case readTimedOut
    /// The page would skip more commands than the limit for one request.
    case pageTooDeep
}

/// The changes that become durable together.
package struct StoreTransaction: Sendable {
    /// The preconditions, checked before any of the changes.
    package var requires: [Precondition]
    /// The changes of the tenancy, in order; each applies to the result of the previous ones.
    package var changes: [TenancyChange]
    /// The changes of uses and checkpoint marks; applied after those of the tenancy.
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
    package var cuts: [LogCut]

    package init(
        requires: [Precondition] = [], changes: [TenancyChange] = [], counters: [CounterChange] = [],
        clock: [StoredClockChange] = [], credentials: [CredentialChange] = [], purchases: [RedeemedPurchase] = [],
        commands: [CommandChange] = [], idempotency: [IdempotencyEntry] = [], records: [PendingRecord] = [],
        forgets: [PersonKeyOwner] = [], cuts: [LogCut] = []
    ) {
        (self.requires, self.changes, self.counters, self.clock) = (requires, changes, counters, clock)
        (self.credentials, self.purchases, self.commands) = (credentials, purchases, commands)
        (self.idempotency, self.records, self.forgets, self.cuts) = (idempotency, records, forgets, cuts)
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
    package var place: RecordPosition { RecordPosition(log: body.log, seq: seq, at: body.at) }
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
    case endResets(madeBy: UserID)
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
