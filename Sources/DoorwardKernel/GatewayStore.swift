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
    /// - Parameter byteCount: when the records have this many bytes, the list ends before the next record whose number is a multiple of
    ///   256.
    func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for reader: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord]

    /// The logs that contain readable personal values of this user; empty after the user's keys were destroyed.
    func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID]

    /// The root hashes of several complete subtrees of the log's Merkle tree, in one read. Also available for removed records; `nil`
    /// if the tree does not have one of them yet.
    ///
    /// - Parameter reader: reads many hashes as a list of this reader, and throws the list errors; `nil` reads the few of one
    ///   proof.
    func nodes(_ nodes: [MerkleNode], of log: LogID, for reader: ListReader?) async throws(StoreError) -> [[UInt8]]?

    /// Every log that has a record or a checkpoint, with its size, in the order of the logs' ids.
    func logHeads() async throws(StoreError) -> [LogHead]

    /// The frontier of the tree over all records of the log; `nil` if the log has no record.
    func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier?
}

extension AccessLogStore {
    /// The root hash of one complete subtree; at level 0 it is one leaf hash. `nil` if the tree has no such subtree yet.
    package func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]? {
        try await nodes([MerkleNode(level: level, index: index)], of: log, for: nil)?.first
    }
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

/// The size of a log, and the checkpoint of it that was signed last.
package struct LogHead: Hashable, Sendable {
    /// The log: a portfolio's, or the gateway's.
    package let log: LogID
    /// The number of records; 0 for a log that has a checkpoint and no record.
    package let size: UInt64
    /// What the store knows of the log's checkpoints; `nil` if none was signed yet.
    package let lastCheckpoint: LastCheckpoint?

    package init(log: LogID, size: UInt64, lastCheckpoint: LastCheckpoint?) {
        (self.log, self.size, self.lastCheckpoint) = (log, size, lastCheckpoint)
    }
}

/// The file of signed checkpoints. It is outside the database, so that a database that was restored or replaced does not bring
/// its own checkpoints along.
package protocol CheckpointStorage: Sendable {
    /// The name of the file, for messages.
    var path: String { get }

    /// The content of the file; `nil` if it does not exist.
    func read() async throws -> [UInt8]?

    /// Appends lines; durable on return. After an error, an incomplete line may be at the end of the file until `replace`.
    func append(_ lines: [UInt8]) async throws

    /// Replaces the whole content, or creates the file; durable on return. After an error the former content is unchanged.
    func replace(by lines: [UInt8]) async throws
}

/// The file of the key that signs checkpoints.
package protocol CheckpointKeyStorage: Sendable {
    /// Keeps a new key beside the present one; durable on return. It replaces a new key that was kept before.
    func stage(_ seed: Secret<[UInt8]>) async throws

    /// Makes the new key the present one; durable on return.
    func activateStaged() async throws
}

/// The constraint that a transaction violates. No part of the transaction was written. All stores
/// report a violation by the same case, and `GatewayError` maps each case in one place.
package enum StoreRefusal: Error, Hashable, Sendable {
    // MARK: Preconditions

    /// The entity is not as the precondition requires: another transaction has changed or removed it since.
    case entityChanged(TenancyEntity)
    /// All uses of the guest access are taken.
    case usesExhausted(GuestAccessID)

    // MARK: Constraints of the tables

    /// A user other than this one already has the email address, ignoring case.
    case emailTaken(UserID)
    /// A change refers to a parent, user or session that does not exist.
    case parentUnknown
    /// The entity to remove is still the parent of another one, or a role or guest access refers to it.
    case stillReferenced(TenancyEntity)
    /// `begin` of a command that already exists.
    case commandExists(CommandID)
    /// `begin` in a transaction without the `COMMAND_INTENT` record of that command at the given index.
    case intentMissing(CommandID)
    /// `update` or `end` of a command that was never begun.
    case commandUnknown(CommandID)
    /// `update` or `end` of a command that has ended.
    case commandEnded(CommandID)
    /// The refresh token is unknown or was used before, or its session has ended.
    case refreshTokenSpent(SessionID)
    /// A session was to be started for a user who is disabled or does not exist any more.
    case userDisabled(UserID)
    /// The token of a password reset is unknown, used, replaced or expired.
    case resetTokenSpent
    /// The user has no recovery code with this digest, or it was used or replaced.
    case recoveryCodeSpent(UserID)
    /// Another user has redeemed the purchase.
    case purchaseRedeemed
    /// The store has an entry with this key that is less than 24 hours old.
    case idempotencyKeyTaken(IdempotencyKey)
    /// A new entity, session or token has an id or digest that already exists.
    case duplicate
    /// The transaction is inconsistent, or the database contradicts itself: a defect. The text is for the operator's log.
    case inconsistent(String)
}
