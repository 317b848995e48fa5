package import DoorwardAudit
package import DoorwardDomain
package import DoorwardPolicy

/// What must last. One implementation keeps it in SQLite; every one passes the conformance kit in `DoorwardTesting`.
///
/// The wiring alone has all of it: `Ledger` takes the store, keeps `commit` for itself, and gives each use case the port that it
/// reads.
package protocol GatewayStore: AccessLogStore, TenancyStore, CredentialStore, CommandStore, StoreMaintenance {
    /// Writes all of the transaction or nothing, and returns once it is durable. Transactions take effect in the order
    /// of the calls; those that wait for a flush share one.
    ///
    /// The only way to write. When it throws `.refused`, nothing of the transaction is durable; when it throws `.failed`, nobody knows
    /// until the store has been opened anew.
    ///
    /// - Returns: where each record came to stand, in the order of `transaction.records`.
    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPlace]
}

/// The logs: their records, and the Merkle trees over them. Records are appended by a transaction, and a person's keys destroyed.
package protocol AccessLogStore: Sendable {
    /// Records in the order of (`at`, `logId`, `seq`) or the reverse. The cost of a page is bounded: it may be short, or empty,
    /// and still have a next one. Throws the errors of lists: `.tooManyReads`, and `.readTimedOut` where not even a short page was
    /// found in time. Cancelling the task ends the reading.
    func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage

    /// One record by its id, whichever log it stands in; `nil` where there is none.
    func record(_ id: RecordID) async throws(StoreError) -> AccessRecord?

    /// The stored records of a log from `seq` on, in order, or from the first that is left where that comes later; `nil` for a log
    /// without a record.
    func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange?

    /// The root of the complete subtree of the log's Merkle tree that has the 2^`level` leaves from `index` · 2^`level` on: level 0 are
    /// the leaf hashes. Also of records that were removed; `nil` where the tree has no such subtree yet.
    func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]?
}

/// Everything that a tenancy is made of, and the counters beside it.
package protocol TenancyStore: Sendable {
    /// Calls `receive` with everything that makes up the tenancy, parents before children. Used once, at the start.
    func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError)

    /// How many uses of each guest access are taken; without those that none is taken of. Asked at the start.
    func usesTaken() async throws(StoreError) -> [GuestAccessID: Int]

    /// 0 until it is raised for the first time.
    func epoch(of owner: EpochOwner) async throws(StoreError) -> UInt64

    /// `nil` where nobody has one.
    func lease(of log: LogID) async throws(StoreError) -> LogLease?
}

/// Commands, and what calls have made under their idempotency keys.
package protocol CommandStore: Sendable {
    /// Commands of this owner with an intent and no outcome, oldest first, without those whose intent was removed from its log. Asked
    /// once, at the start, before anything is sent.
    func openCommands(of owner: GatewayNumber) async throws(StoreError) -> [StoredCommand]

    /// A command as it was last written; `nil` where there is none, or its intent was removed from its log.
    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand?

    /// The command, if the query matches it; its `deviceID`, `offset` and `limit` are ignored. A command that does not match
    /// costs the same as one that does not exist.
    func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand?

    /// Commands, newest first; `total` is the number of all matches, independent of the page. Throws `.pageTooDeep` for a page
    /// that would skip too many, and the errors of lists.
    func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int)

    /// The answer kept under this key, unless it is older than `oldest`.
    func idempotentAnswer(_ key: IdempotencyKey, notOlderThan oldest: Timestamp) async throws(StoreError) -> IdempotencyEntry?
}

/// Passwords, sessions and keys.
package protocol CredentialStore: Sendable {
    /// The password's hash as a PHC string; `nil` for a user without a password.
    func passwordHash(of user: UserID) async throws(StoreError) -> String?

    /// Sessions that are neither ended nor past `expiresAt`. Asked once, at the start.
    func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session]

    /// The refresh token with this SHA-256 digest, used or not.
    func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken?

    /// The reset of a password whose token has this SHA-256 digest, over or not; `nil` once it is used or replaced.
    func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset?

    /// The public half of the gateway's own key for `purpose`; `nil` before `.noteKey`.
    func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]?
}

/// The store as a whole.
package protocol StoreMaintenance: Sendable {
    /// Whether a transaction can be written at this moment.
    func isWritable() async -> Bool

    /// Writes a copy of everything, as it is at one instant between two transactions, to a new file that only its owner can
    /// read. Committing goes on meanwhile. The file has its name only once it is whole and durable.
    ///
    /// - Parameter path: an absolute path in a folder that exists, under which there is nothing yet.
    func backup(to path: String) async throws(StoreBackupError) -> StoreBackup

    /// Finishes what waits, checkpoints and closes. Nothing is accepted afterwards.
    func close() async throws(StoreError)
}

/// Neighbouring records of one log as they are stored, and what of the log there is.
package struct LogRange: Hashable, Sendable {
    /// The `seq` of the first record that was not removed; that of the next one to come if none is left.
    package let firstSeq: UInt64
    /// How many records were ever appended: the size of the log's tree, and the `seq` of the next one.
    package let size: UInt64
    /// At most as many as were asked for.
    package let entries: [Entry]

    package init(firstSeq: UInt64, size: UInt64, entries: [Entry]) {
        (self.firstSeq, self.size, self.entries) = (firstSeq, size, entries)
    }

    /// A record without its personal values, which lie beside it.
    package struct Entry: Hashable, Sendable {
        /// Its number in the log.
        package let seq: UInt64
        /// In the form that `leafHash` is of.
        package let bytes: [UInt8]
        /// As the store keeps it.
        package let leafHash: [UInt8]

        package init(seq: UInt64, bytes: [UInt8], leafHash: [UInt8]) {
            (self.seq, self.bytes, self.leafHash) = (seq, bytes, leafHash)
        }
    }
}

/// Why the store did not do as asked.
package enum StoreError: Error, Equatable, Sendable {
    /// The transaction breaks a rule that the store holds, such as one address for one user. Nothing of it was written.
    case refused(StoreRefusal)
    /// The disk or the database failed. Whether a transaction is durable is not known.
    case failed(String)
    /// The store is closed, or has failed before and accepts no more writes; or the task was cancelled.
    case unavailable
    /// Too many lists wait for the same user or portfolio.
    case tooManyReads
    /// Reading a list took longer than one request may.
    case readTimedOut
    /// The page lies behind more commands than one request may pass over.
    case pageTooDeep
}

/// Everything that becomes durable together.
package struct StoreTransaction: Sendable {
    /// What must hold before any of the changes.
    package var requires: [Precondition]
    /// What becomes of the tenancy, in order; each on the result of those before.
    package var changes: [TenancyChange]
    /// What becomes of uses, epochs and leases; after the changes of the tenancy.
    package var counters: [CounterChange]
    /// What becomes of passwords, sessions and keys.
    package var credentials: [CredentialChange]
    /// What becomes of commands.
    package var commands: [CommandChange]
    /// Answers to keep for a repeat. An entry replaces one of the same key that has no answer yet.
    package var idempotency: [IdempotencyEntry]
    /// What is written in the logs, in order.
    package var records: [PendingRecord]
    /// Persons and days whose keys are destroyed, in every log, after the records are written: nobody can read their personal values
    /// any more, those of this transaction neither. The records and their trees stay as they are. A later record of the same person
    /// makes a new key.
    package var forgets: [PersonKeyOwner]

    package init(
        requires: [Precondition] = [], changes: [TenancyChange] = [], counters: [CounterChange] = [],
        credentials: [CredentialChange] = [], commands: [CommandChange] = [], idempotency: [IdempotencyEntry] = [],
        records: [PendingRecord] = [], forgets: [PersonKeyOwner] = []
    ) {
        (self.requires, self.changes, self.counters) = (requires, changes, counters)
        (self.credentials, self.commands) = (credentials, commands)
        (self.idempotency, self.records, self.forgets) = (idempotency, records, forgets)
    }
}

/// A record that is about to be written.
package struct PendingRecord: Sendable {
    /// What it says; the store gives it its `seq`.
    package var body: RecordBody
    /// The index of an earlier record of the same transaction that this one points at: the store adds
    /// `counterpart: {logId, seq}` of that record to the details.
    package var counterpart: Int?

    package init(_ body: RecordBody, counterpart: Int? = nil) { (self.body, self.counterpart) = (body, counterpart) }
}

/// Where a record stands, and the instant that it bears.
package struct RecordPlace: Hashable, Sendable {
    /// The log that it stands in.
    package let log: LogID
    /// Its number there, from 0.
    package let seq: UInt64
    /// The instant in the record: that of the body, or the log's last where that was later.
    package let at: Timestamp

    package init(log: LogID, seq: UInt64, at: Timestamp) { (self.log, self.seq, self.at) = (log, seq, at) }
}

extension AccessRecord {
    /// Where the record is stored.
    package var place: RecordPlace { RecordPlace(log: body.log, seq: seq, at: body.at) }
}

/// What becomes of a command.
package enum CommandChange: Sendable {
    /// A new command, and the index of its intent among the transaction's records. Refused where that record is not the intent of
    /// this command. The owner is the gateway that executes it.
    case begin(Command, intent: Int, owner: GatewayNumber = .single)
    /// A new state of a command that has not ended: dispatched by another rule, say.
    case update(Command)
    /// The outcome. The store refuses a second one for the same command.
    case end(Command)

    /// The command as it is from now on.
    package var command: Command {
        switch self {
        case .begin(let command, _, _), .update(let command), .end(let command): command
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

/// A command, and where its intent stands: like the record of it, it belongs to the place where the device hung then.
package struct StoredCommand: Hashable, Sendable {
    /// The command as it was last written.
    package let command: Command
    /// The log of the intent, where its outcome belongs too.
    package let log: LogID
    /// Where the device hung when the intent was written.
    package let device: DeviceStamp

    package init(command: Command, log: LogID, device: DeviceStamp) {
        (self.command, self.log, self.device) = (command, log, device)
    }
}

/// What becomes of a password or a session.
package enum CredentialChange: Sendable {
    /// A PHC string, never the password.
    case setPassword(UserID, hash: String)
    /// A new session with its first refresh token, by digest. Refused for a user who is disabled by then.
    case beginSession(Session, refreshDigest: [UInt8])
    /// Marks the old token used and adds the new one. Refused when the old one was used already.
    case rotateRefresh(SessionID, oldDigest: [UInt8], newDigest: [UInt8], expiresAt: Timestamp)
    /// The session is over, and none of its refresh tokens is good any more.
    case endSession(SessionID)
    /// The same for every session that the user has at this point in the order of transactions.
    case endSessions(of: UserID)
    /// A new reset of a user's password, by its token's digest; the one that they had before is gone.
    case offerReset(PasswordReset, digest: [UInt8])
    /// Takes a reset away because it is used. Refused when there is none of this digest, or it is over at this instant.
    case useReset(digest: [UInt8], at: Timestamp)
    /// Removes the reset of this user's password, if there is one.
    case endReset(of: UserID)
    /// Removes every reset that this user has made for others.
    case endResets(madeBy: UserID)
    /// The public half of a key of the gateway, whose private half lies in a file outside the store.
    case noteKey(KeyPurpose, publicHalf: [UInt8])
}

/// What a key of the gateway signs. Raw values stand in the database.
package enum KeyPurpose: String, CaseIterable, Sendable {
    /// Access tokens, which callers show with each request.
    case accessTokens
}

/// A refresh token as the store knows it, found by its digest: never the token itself.
package struct StoredRefreshToken: Hashable, Sendable {
    /// The session that the token belongs to.
    package let session: Session
    /// Whether it was exchanged already; a second time gives it away as stolen.
    package let isUsed: Bool
    /// Whether the session is over, whatever its `expiresAt` says.
    package let isSessionEnded: Bool

    package init(session: Session, isUsed: Bool, isSessionEnded: Bool) {
        (self.session, self.isUsed, self.isSessionEnded) = (session, isUsed, isSessionEnded)
    }
}

/// Whose key, and which: the same text from two principals is two keys.
package struct IdempotencyKey: Hashable, Sendable {
    /// The principal's kind and id.
    package let principal: String
    /// 1 to 255 visible ASCII characters.
    package let key: String

    package init(principal: String, key: String) { (self.principal, self.key) = (principal, key) }
}

/// What is kept under an idempotency key: ids alone. The response to a repeat is rendered anew, as its caller may see it then.
package struct IdempotencyEntry: Hashable, Sendable {
    /// What the caller repeats it by.
    package let key: IdempotencyKey
    /// HMAC-SHA-256 of method, path and canonical body, under a key of the gateway.
    package let fingerprint: [UInt8]
    /// What the first call made.
    package let result: IdempotentResult
    /// When the first call came; entries are dropped by their age.
    package let createdAt: Timestamp

    package init(key: IdempotencyKey, fingerprint: [UInt8], result: IdempotentResult, createdAt: Timestamp) {
        (self.key, self.fingerprint, self.result, self.createdAt) = (key, fingerprint, result, createdAt)
    }
}

/// What a call with an idempotency key has made.
package enum IdempotentResult: Hashable, Sendable {
    /// A command; its response follows from its state.
    case command(CommandID)
    /// An entity of the type that the call creates; its response is 201.
    case entity(EntityID<CreatedEntityTag>)
}

/// Placeholder for the type of the entity that a call creates.
package enum CreatedEntityTag {}
