internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The encryption keys of persons and days. An owner has a separate key in each log.
enum PersonKeys {
    /// A key, and the `seq` of the first record that it applies to. Earlier records used a key that was destroyed, so their
    /// values are erased.
    struct Stored {
        let key: PersonKey
        let since: UInt64

        func key(for seq: UInt64) -> PersonKey? { seq >= since ? key : nil }
    }

    /// Returns `nil` if the owner has no key in the log, or if the key was destroyed, in the database or with the owner's
    /// wrapping key.
    static func key(of owner: PersonKeyOwner, log: Int64, in db: Database, _ keys: PersonKeyFile) throws -> Stored? {
        let row = try db.firstRow("SELECT key, since FROM person_keys WHERE log = ? AND owner = ?", [log, blob(owner)]) {
            (bytes: $0.bytes(0), since: UInt64(clamping: $0.integer(1)))
        }
        guard let row else { return nil }
        return try keys.unwrap(row.bytes, of: owner, log: log).map { Stored(key: $0, since: row.since) }
    }

    /// Replaces a key that can no longer be unwrapped, because the database is older than the owner's erasure.
    static func insert(
        _ key: PersonKey, of owner: PersonKeyOwner, log: Int64, since: UInt64, in db: Database, _ keys: PersonKeyFile
    ) throws {
        let wrapped = try keys.wrap(key, of: owner, log: log, from: try generation(of: owner, in: db))
        try db.run(
            "INSERT OR REPLACE INTO person_keys (log, owner, key, since) VALUES (?, ?, ?, ?)",
            [log, blob(owner), wrapped, Int64(since)])
    }

    /// Returns the number of erased generations of the owner that the database knows. A new key has the wrapping key of this
    /// generation, or of the next one that the person-key file has.
    static func generation(of owner: PersonKeyOwner, in db: Database) throws -> Int {
        guard case .user(let user) = owner else { return 0 }
        return try db.firstRow("SELECT generation FROM erased_persons WHERE user_id = ?", [user]) { Int($0.integer(0)) } ?? 0
    }

    /// Notes that the person-key file loses the wrapping keys of the first generations of a user; see `PersonKeyFile.erase`.
    static func noteErasure(of user: UserID, generations: Int, in db: Database) throws {
        try db.run("INSERT OR REPLACE INTO erased_persons (user_id, generation) VALUES (?, ?)", [user, generations])
    }

    /// Returns every erased person, with the number of erased generations.
    static func erased(in db: Database) throws -> [(user: UserID, generations: Int)] {
        try db.rows("SELECT user_id, generation FROM erased_persons") { columns in
            (user: try columns.value() as UserID, generations: Int(try columns.value(Int64.self)))
        }
    }

    /// Returns the logs in which an owner has a key. Searches each log, because the table has no index of owners.
    static func logs(of owner: PersonKeyOwner, in db: Database) throws -> [Int64] {
        try db.rows("SELECT log FROM person_keys WHERE log IN (SELECT key FROM logs) AND owner = ?", [blob(owner)]) {
            $0.integer(0)
        }
    }

    /// Deletes the key. The connection overwrites it with zeros (`secure_delete`).
    static func destroy(of owner: PersonKeyOwner, log: Int64, in db: Database) throws {
        try db.run("DELETE FROM person_keys WHERE log = ? AND owner = ?", [log, blob(owner)])
    }

    /// Returns the owner with these bytes; `nil` if there is none.
    static func owner(_ blob: [UInt8]) -> PersonKeyOwner? {
        if let id = UserID(blob: blob) { return .user(id) }
        // A date is ASCII, and so stream-safe.
        return blob.count == 10 ? String(validating: blob, as: UTF8.self).map(PersonKeyOwner.day) : nil
    }

    /// Returns 16 bytes for a user and ten for a day, so that a user and a day never have the same bytes.
    private static func blob(_ owner: PersonKeyOwner) -> Data {
        switch owner {
        case .user(let id): id.blob
        case .day(let date): Data(date.utf8)
        }
    }
}

/// The keys that a reader of records has read.
struct PersonKeyCache {
    /// An owner in a log, which is named by its key.
    struct Name: Hashable {
        let log: Int64
        let owner: PersonKeyOwner
    }

    private var keys: [Name: PersonKeys.Stored?] = [:]
    /// The key that was used last: most values of a record have one owner, and so have records that follow each other.
    private var last: (name: Name, key: PersonKeys.Stored?)?

    /// Returns the owner's key for the record at a position; `nil` if there is none, or if it was destroyed.
    mutating func key(
        of owner: PersonKeyOwner, at position: EntryKey, in db: Database, _ file: PersonKeyFile
    ) throws -> PersonKey? {
        let name = Name(log: position.logKey, owner: owner)
        if let last, last.name == name { return last.key?.key(for: position.seq) }
        let stored = try keys[name] ?? PersonKeys.key(of: owner, log: position.logKey, in: db, file)
        keys[name] = .some(stored)
        last = (name, stored)
        return stored?.key(for: position.seq)
    }
}

/// Encodes the sealed personal values of one record as one column. Each value is encoded as the length of its field's name in 2
/// bytes, the name, the length of the ciphertext in 4 bytes, and the ciphertext. Lengths are big-endian.
///
/// The owner of a value's key is not encoded: the commitment in the record identifies the owner.
struct SealedValues {
    private let bytes: [UInt8]
    /// The positions of each field's name and ciphertext.
    private var values: [(field: Range<Int>, ciphertext: Range<Int>)] = []

    /// `nil` if the bytes cannot be divided into values.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        var end = 0
        while end < bytes.count {
            guard let field = bytes.part(at: end, lengthBytes: 2),
                let ciphertext = bytes.part(at: field.upperBound, lengthBytes: 4)
            else { return nil }
            values.append((field, ciphertext))
            end = ciphertext.upperBound
        }
    }

    /// The ciphertext of a field; `nil` if there is none.
    func ciphertext(of field: String) -> ArraySlice<UInt8>? {
        values.first { bytes[$0.field].elementsEqual(field.utf8) }.map { bytes[$0.ciphertext] }
    }

    /// The ciphertexts by field, for a check; `nil` if `bytes(of:)` makes no such bytes: a name is not UTF-8, or occurs twice.
    var ciphertexts: [String: [UInt8]]? {
        var ciphertexts: [String: [UInt8]] = [:]
        for value in values {
            // The name need not be made stream-safe: lookups use the gateway's own field names, which are stream-safe.
            guard let field = String(validating: bytes[value.field], as: UTF8.self),
                ciphertexts.updateValue(Array(bytes[value.ciphertext]), forKey: field) == nil
            else { return nil }
        }
        return ciphertexts
    }

    static func bytes(of values: [SealedValue]) -> [UInt8] {
        values.reduce(into: []) { bytes, value in
            bytes.append(part: value.field.utf8, lengthBytes: 2)
            bytes.append(part: value.ciphertext, lengthBytes: 4)
        }
    }
}

// Parts of bytes, each after its length as a big-endian number.
extension [UInt8] {
    mutating func append(part: some Collection<UInt8>, lengthBytes: Int) {
        append(contentsOf: (0..<lengthBytes).reversed().map { UInt8(truncatingIfNeeded: part.count >> (8 * $0)) })
        append(contentsOf: part)
    }

    /// The bytes of the part whose length is at an offset; `nil` if they end beyond the array.
    func part(at offset: Int, lengthBytes: Int) -> Range<Int>? {
        let start = offset + lengthBytes
        guard start <= count else { return nil }
        let length = self[offset..<start].reduce(0) { $0 << 8 | Int($1) }
        return length <= count - start ? start..<start + length : nil
    }
}
