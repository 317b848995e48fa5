internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// The person-key file of a database: keys that encrypt the person keys and accounts in the database, and that an erasure
/// destroys.
///
/// The file lies beside the database or elsewhere, and is not part of a backup. An erasure is first committed to the database,
/// with its record; then the file is replaced by one without the person's wrapping key. The next start completes an erasure that a crash
/// has interrupted.
final class PersonKeyFile: Sendable {
    /// A step of an erasure after its commit, at which tests interrupt it.
    enum Step: String, Sendable, CaseIterable {
        case beforeDraft, afterDraft, afterRename
    }

    /// `nil` for keys that are only in memory.
    private let path: String?
    private let state: Mutex<State>
    private let atStep: @Sendable (Step) throws -> Void

    private struct State {
        let ring: PersonKeyRing
        let days: WrappingKey
        /// Wrapping keys that were computed.
        var known: [Name: WrappingKey] = [:]
        /// Keys of users that were decrypted. An erasure forgets them all.
        var unwrapped: [WrappedKey: PersonKey] = [:]

        init(_ ring: PersonKeyRing) { (self.ring, days) = (ring, ring.wrappingKeyOfDays()) }

        mutating func wrappingKey(of name: Name) -> WrappingKey? {
            if let key = known[name] { return key }
            guard let key = ring.wrappingKey(of: name.user, generation: name.generation) else { return nil }
            if known.count >= PersonKeyFile.maxKnown { known.removeAll(keepingCapacity: true) }
            known[name] = key
            return key
        }
    }

    private struct Name: Hashable {
        let user: UserID
        let generation: Int
    }

    /// A user's key for one log as the database stores it: wrapped.
    private struct WrappedKey: Hashable {
        let user: UserID
        let log: Int64
        let bytes: [UInt8]

        /// Hashes only the user and the log: equality also compares the bytes, but they rarely differ.
        func hash(into hasher: inout Hasher) {
            hasher.combine(user)
            hasher.combine(log)
        }
    }

    /// The maximum number of wrapping keys, and of users' keys, that are cached in memory.
    private static let maxKnown = 4096

    private init(path: String?, ring: PersonKeyRing, atStep: @escaping @Sendable (Step) throws -> Void) {
        (self.path, self.atStep) = (path, atStep)
        state = Mutex(State(ring))
    }

    // MARK: Opening

    /// Keys without a file, for tests and for checks of the schema alone.
    static func inMemory(random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) -> PersonKeyFile {
        var random = random
        return PersonKeyFile(path: nil, ring: PersonKeyRing(using: &random), atStep: { _ in })
    }

    /// Reads the file, or creates it for a database that has none yet.
    ///
    /// - Parameters:
    ///   - known: the id of the database's file; `nil` if the database has none.
    ///   - database: the path of the database, for messages.
    static func open(
        _ path: String, knownTo database: String, id known: [UInt8]?, random: any RandomNumberGenerator & Sendable,
        atStep: @escaping @Sendable (Step) throws -> Void = { _ in }
    ) throws(StoreOpenError) -> PersonKeyFile {
        if let file = try reading(path, knownTo: database, id: known, atStep: atStep) { return file }
        guard known == nil else { throw .personKeysMissing(path: path, database: database) }
        var random = random
        let ring = PersonKeyRing(using: &random)
        do throws(DurableFile.Failure) {
            try DurableFile.replace(path, by: Array(ring.fileText.utf8))
        } catch {
            throw .failed(path: path, reason: "the file with the keys of personal data cannot be \(error.verb): \(error.reason)")
        }
        return PersonKeyFile(path: path, ring: ring, atStep: atStep)
    }

    /// Reads the file of a database that is only read; `nil` if there is no file.
    static func reading(
        _ path: String, knownTo database: String, id known: [UInt8]?,
        atStep: @escaping @Sendable (Step) throws -> Void = { _ in }
    ) throws(StoreOpenError) -> PersonKeyFile? {
        guard let ring = try read(path) else { return nil }
        guard known == nil || known == ring.id else { throw .personKeysOfOther(path: path, database: database) }
        return PersonKeyFile(path: path, ring: ring, atStep: atStep)
    }

    /// Returns whether the file exists. Throws if a gateway could not start with it.
    static func check(_ path: String) throws(StoreOpenError) -> Bool { try read(path) != nil }

    private static func read(_ path: String) throws(StoreOpenError) -> PersonKeyRing? {
        guard let status = fileStatus(path) else {
            if errno == ENOENT { return nil }
            throw .failed(path: path, reason: systemError("the file with the keys of personal data cannot be read"))
        }
        guard !status.isOpenToOthers else { throw .personKeysExposed(path: path) }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .failed(path: path, reason: "the file with the keys of personal data cannot be read")
        }
        guard let ring = PersonKeyRing(fileText: text) else { throw .personKeysDamaged(path: path) }
        return ring
    }

    /// The id of the file; the database stores it.
    var id: [UInt8] { state.withLock { $0.ring.id } }

    /// Returns the stored id; `nil` in a file without a schema.
    static func storedID(in db: Database) throws -> [UInt8]? {
        guard try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 > 0 else { return nil }
        return try db.firstRow("SELECT id FROM person_key_file") { try $0.value() }
    }

    // MARK: Keys

    private func wrappingKey(of user: UserID, generation: Int) -> WrappingKey? {
        state.withLock { $0.wrappingKey(of: Name(user: user, generation: generation)) }
    }

    /// Returns the first generation, from `first` on, that was not erased, and its key.
    private func current(_ user: UserID, from first: Int) -> (generation: Int, key: WrappingKey) {
        var generation = first
        while true {
            if let key = wrappingKey(of: user, generation: generation) { return (generation, key) }
            generation += 1
        }
    }

    /// The generation of a user whose wrapping key encrypts new values: the first, from `first` on, that was not erased.
    func generation(of user: UserID, from first: Int) -> Int { current(user, from: first).generation }

    /// Whether the user was erased at least once.
    func isErased(_ user: UserID) -> Bool { generation(of: user, from: 0) > 0 }

    /// Encrypts a person key for the database: the generation in two bytes, and the wrapped key.
    ///
    /// - Parameter first: the number of erasures of the owner that the database knows.
    func wrap(_ key: PersonKey, of owner: PersonKeyOwner, log: Int64, from first: Int) throws -> [UInt8] {
        guard case .user(let user) = owner else {
            let days = state.withLock(\.days)
            return Self.prefix(0) + (try days.wrap(key, of: owner, log: log))
        }
        let (generation, wrapping) = current(user, from: first)
        return Self.prefix(generation) + (try wrapping.wrap(key, of: owner, log: log))
    }

    /// Decrypts a person key of the database.
    ///
    /// - Returns: `nil` if the owner was erased since the key was written.
    /// - Throws: `UnreadableColumn` for bytes that are not a wrapped key of this owner and log.
    func unwrap(_ bytes: [UInt8], of owner: PersonKeyOwner, log: Int64) throws -> PersonKey? {
        guard let (generation, wrapped) = Self.split(bytes) else { throw UnreadableColumn(column: "key") }
        guard case .user(let user) = owner else {
            let days = state.withLock(\.days)
            guard let key = days.unwrap(wrapped, of: owner, log: log) else { throw UnreadableColumn(column: "key") }
            return key
        }
        let name = WrappedKey(user: user, log: log, bytes: bytes)
        // One critical section, so that no key is kept after the erasure of its owner.
        return try state.withLock { state in
            if let known = state.unwrapped[name] { return known }
            guard let wrapping = state.wrappingKey(of: Name(user: user, generation: generation)) else { return nil }
            guard let key = wrapping.unwrap(wrapped, of: owner, log: log) else { throw UnreadableColumn(column: "key") }
            if state.unwrapped.count >= Self.maxKnown { state.unwrapped.removeAll(keepingCapacity: true) }
            state.unwrapped[name] = key
            return key
        }
    }

    /// Encrypts the names and the email address of a user: the generation in two bytes, and the ciphertext.
    func seal(_ account: SealedAccount, of user: UserID, from first: Int) throws -> [UInt8] {
        let (generation, key) = current(user, from: first)
        return Self.prefix(generation) + (try key.seal(account.bytes, of: user))
    }

    /// - Returns: `nil` if the user was erased since the bytes were written.
    /// - Throws: `UnreadableColumn` for bytes that are not a sealed account of this user.
    func open(_ bytes: [UInt8], of user: UserID) throws -> SealedAccount? {
        guard let (generation, sealed) = Self.split(bytes) else { throw UnreadableColumn(column: "sealed") }
        guard let key = wrappingKey(of: user, generation: generation) else { return nil }
        guard let account = key.open(sealed, of: user).flatMap(SealedAccount.init(bytes:)) else {
            throw UnreadableColumn(column: "sealed")
        }
        return account
    }

    /// Returns the text by which the database recognises an email address.
    func emailIndex(of email: String) -> String { state.withLock { $0.ring.emailIndex(of: email) } }

    private static func prefix(_ generation: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: generation >> 8), UInt8(truncatingIfNeeded: generation)]
    }

    private static func split(_ bytes: [UInt8]) -> (generation: Int, rest: ArraySlice<UInt8>)? {
        guard bytes.count > 2 else { return nil }
        return (Int(bytes[0]) << 8 | Int(bytes[1]), bytes[2...])
    }

    // MARK: Erasing

    /// Makes sure that the file lacks the wrapping keys of the erased persons. Replaces the file at most once. Call it after the
    /// erasures are committed. Calls must not overlap.
    ///
    /// - Parameter erased: persons, each with the number of its erased generations.
    func erase(_ erased: [(user: UserID, generations: Int)]) throws {
        var ring = state.withLock { $0.ring }
        var isChanged = false
        for (user, generations) in erased {
            for generation in 0..<generations where !ring.isErased(user, generation: generation) {
                ring.erase(user, generation: generation)
                isChanged = true
            }
        }
        guard isChanged else { return }
        if let path {
            try atStep(.beforeDraft)
            try DurableFile.create("\(path).new", Array(ring.fileText.utf8))
            try atStep(.afterDraft)
            try DurableFile.rename("\(path).new", to: path)
            try atStep(.afterRename)
        }
        state.withLock { $0 = State(ring) }
    }
}

/// The personal fields of a user's account, which are stored encrypted.
struct SealedAccount: Hashable, Sendable {
    let email: String
    let firstName: String
    let lastName: String
}

extension SealedAccount {
    init(_ user: User) { self.init(email: user.email, firstName: user.firstName, lastName: user.lastName) }

    /// The account of an erased user, in a database from before the erasure. No sign-in has this address.
    static func erased(_ user: UserID) -> SealedAccount {
        SealedAccount(email: "\(user)@erased.invalid", firstName: "Erased", lastName: "user")
    }

    /// The three texts, each after its length in four bytes.
    var bytes: [UInt8] {
        [email, firstName, lastName].reduce(into: []) { $0.append(part: $1.utf8, lengthBytes: 4) }
    }

    init?(bytes: [UInt8]) {
        var (end, texts): (Int, [String]) = (0, [])
        while end < bytes.count {
            // The text was made stream-safe before it was encrypted, and cannot be altered without the key.
            guard let part = bytes.part(at: end, lengthBytes: 4), let text = String(validating: bytes[part], as: UTF8.self) else {
                return nil
            }
            texts.append(text)
            end = part.upperBound
        }
        guard texts.count == 3 else { return nil }
        self.init(email: texts[0], firstName: texts[1], lastName: texts[2])
    }
}
