import Crypto
import DoorwardDomain
import FoundationEssentials

/// The keys of the person-key file, which is kept outside the database: a wrapping key for each person, which encrypts the
/// person's keys and account in the database.
///
/// The wrapping keys of all persons are computed from one secret. Erasing a person changes the secret such that this person's
/// wrapping key can no longer be computed, and all others can (`PuncturableKey`). So an older copy of the database stays readable
/// with the changed file, except for the erased person; and nothing has to be written for a new person.
///
/// A person who was erased gets the wrapping key of the next *generation* if there are values again. The format of the file is in
/// docs/security.md.
package struct PersonKeyRing: Sendable {
    /// 16 random bytes that identify the file. They are kept forever, and also stored in the database.
    package let id: [UInt8]
    /// The secret behind the keys that no erasure destroys: the keys of days, and the key of the email index.
    private let common: [UInt8]
    private var persons: PuncturableKey

    /// Creates the keys for a new database. In the running gateway, `random` must be a cryptographic source.
    package init(using random: inout some RandomNumberGenerator) {
        let bytes = (0..<10).reduce(into: [UInt8]()) { bytes, _ in bytes.append(bigEndian: random.next()) }
        id = Array(bytes[..<16])
        common = Array(bytes[16..<48])
        persons = PuncturableKey(root: Array(bytes[48...]))
    }

    /// Returns the wrapping key of a user; `nil` if this generation was erased.
    package func wrappingKey(of user: UserID, generation: Int) -> WrappingKey? {
        persons.value(at: Self.input(user, generation)).map(WrappingKey.init(secret:))
    }

    /// Returns the wrapping key of the days' keys.
    package func wrappingKeyOfDays() -> WrappingKey { WrappingKey(secret: derived("doorward/days/1")) }

    /// Returns whether a generation of the user's wrapping key was erased.
    package func isErased(_ user: UserID, generation: Int) -> Bool { persons.isDestroyed(at: Self.input(user, generation)) }

    /// Erases one generation of the user's wrapping key.
    package mutating func erase(_ user: UserID, generation: Int) { persons.destroy(at: Self.input(user, generation)) }

    /// Returns a text by which the database recognises an email address without containing it: an HMAC of the address in lower
    /// case.
    package func emailIndex(of email: String) -> String {
        let key = SymmetricKey(data: derived("doorward/email-index/1"))
        let code = HMAC<SHA256>.authenticationCode(for: Array(email.lowercased().utf8), using: key)
        return Data(code.prefix(18)).base64EncodedString()
    }

    private func derived(_ purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(purpose.utf8), using: SymmetricKey(data: common)))
    }

    /// The 64 bits are uniform, so that one million persons share a path with probability 3 · 10⁻⁸.
    private static func input(_ user: UserID, _ generation: Int) -> UInt64 {
        var bytes = Array("doorward/person/1".utf8)
        bytes.append(0)
        bytes.append(bigEndian: user.high)
        bytes.append(bigEndian: user.low)
        bytes.append(bigEndian: UInt64(generation))
        return SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// MARK: The file

extension PersonKeyRing {
    private static let title = "doorward-person-keys/1"

    /// The content of the file: a title; the id and the common secret; and one line for each kept node of the tree with its
    /// depth, its prefix in hexadecimal and its secret. Bytes are in base64.
    package var fileText: String {
        var lines = [Self.title, "id \(Data(id).base64EncodedString())", "common \(Data(common).base64EncodedString())"]
        for node in persons.nodes {
            let prefix = String(node.prefix, radix: 16)
            lines.append("\(node.depth) \(prefix) \(Data(node.secret).base64EncodedString())")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Returns: `nil` if the text is not exactly the content of such a file.
    package init?(fileText: String) {
        let lines = fileText.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines[0] == Self.title, lines.last == "" else { return nil }
        guard let id = Self.bytes(lines[1], after: "id ", count: 16),
            let common = Self.bytes(lines[2], after: "common ", count: 32)
        else { return nil }
        let nodes = lines[3...].dropLast().map(Self.node)
        guard let persons = PuncturableKey(nodes: nodes.compactMap(\.self)), persons.nodes.count == nodes.count else {
            return nil
        }
        (self.id, self.common, self.persons) = (id, common, persons)
        guard self.fileText == fileText else { return nil }
    }

    private static func node(_ line: Substring) -> PuncturableKey.Node? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let depth = Int(parts[0]), let prefix = UInt64(parts[1], radix: 16),
            let secret = Data(base64Encoded: String(parts[2]))
        else { return nil }
        return PuncturableKey.Node(prefix: prefix, depth: depth, secret: Array(secret))
    }

    private static func bytes(_ line: Substring, after word: String, count: Int) -> [UInt8]? {
        guard line.hasPrefix(word), let data = Data(base64Encoded: String(line.dropFirst(word.count))), data.count == count
        else { return nil }
        return Array(data)
    }
}

extension PersonKeyRing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "••••" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(reflecting: description) }
}

/// The key that encrypts the keys of one person, or those of days, in the database.
package struct WrappingKey: Sendable {
    private let secret: Secret<[UInt8]>

    init(secret: [UInt8]) { self.secret = Secret(secret) }

    /// The length of a wrapped key.
    package static let wrappedByteCount = PersonKey.byteCount + 8

    /// Encrypts a person key (RFC 3394). The ciphertext is bound to the owner and the log's number, and cannot be decrypted for any other.
    package func wrap(_ key: PersonKey, of owner: PersonKeyOwner, log: Int64) throws -> [UInt8] {
        Array(try AES.KeyWrap.wrap(SymmetricKey(data: key.revealBytes()), using: wrapping(owner, log)))
    }

    /// - Returns: `nil` for bytes that `wrap` did not make of a key of this owner and log.
    package func unwrap(_ bytes: some Collection<UInt8>, of owner: PersonKeyOwner, log: Int64) -> PersonKey? {
        guard bytes.count == Self.wrappedByteCount,
            let key = try? AES.KeyWrap.unwrap(Data(bytes), using: wrapping(owner, log))
        else { return nil }
        return key.withUnsafeBytes { PersonKey(bytes: Array($0)) }
    }

    private func wrapping(_ owner: PersonKeyOwner, _ log: Int64) -> SymmetricKey {
        var name: [UInt8] = []
        name.append(bigEndian: UInt64(bitPattern: log))
        switch owner {
        case .user(let id): name.append(id: id)
        case .day(let date): name.append(contentsOf: date.utf8)
        }
        return subkey("doorward/wrap/1", name)
    }

    private func subkey(_ purpose: String, _ name: [UInt8] = []) -> SymmetricKey {
        let key = SymmetricKey(data: secret.reveal())
        return SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(purpose.utf8) + [0] + name, using: key))
    }

    /// Encrypts bytes of a user's account with AES-256-GCM. The same bytes always give the same ciphertext: the nonce is an HMAC
    /// of them.
    package func seal(_ bytes: [UInt8], of user: UserID) throws -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: subkey("doorward/account-nonce/1"))
        let (key, name) = (subkey("doorward/account/1"), Array(user.description.utf8))
        return try AES.GCM.sealed(bytes, using: key, nonce: Array(code.prefix(12))[...], authenticating: name)
    }

    /// - Returns: `nil` for bytes that `seal` did not make for this user.
    package func open(_ sealed: some Collection<UInt8>, of user: UserID) -> [UInt8]? {
        AES.GCM.opened(
            Data(sealed), using: subkey("doorward/account/1"), authenticating: Array(user.description.utf8)
        ).map { Array($0) }
    }
}

extension AES.GCM {
    /// Encrypts bytes with a nonce of 12 bytes, and returns nonce, ciphertext and tag.
    static func sealed(
        _ bytes: [UInt8], using key: SymmetricKey, nonce: ArraySlice<UInt8>, authenticating name: [UInt8]
    ) throws -> [UInt8] {
        let box = try seal(bytes, using: key, nonce: Nonce(data: nonce), authenticating: name)
        // The combined form exists for every 12-byte nonce.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    /// - Returns: `nil` for bytes that `sealed` did not make with this key and these authenticated bytes.
    static func opened(_ sealed: some DataProtocol, using key: SymmetricKey, authenticating name: [UInt8]) -> Data? {
        guard let box = try? SealedBox(combined: sealed) else { return nil }
        return try? open(box, using: key, authenticating: name)
    }
}

/// A pseudorandom function of 64-bit inputs whose value at single inputs can be destroyed, while all others stay computable.
///
/// This is the tree of Goldreich, Goldwasser and Micali: a secret for each node of a binary tree of depth 64, in which the two
/// children of a node are hashes of the node's secret. The input is the path from the root; the value is the leaf's secret. At
/// first only the root is kept. To destroy an input, the secret that leads to it is replaced by those of the siblings along the
/// path, from which all other inputs can still be computed, and this one cannot (Boneh and Waters, "Constrained pseudorandom
/// functions", 2013).
struct PuncturableKey: Sendable {
    /// The secret of one node. `depth` bits of `prefix`, from the highest, are the path to it; the others are zero.
    struct Node: Hashable, Sendable {
        let prefix: UInt64
        let depth: Int
        let secret: [UInt8]

        /// Returns whether the node is on the path to the input.
        func covers(_ input: UInt64) -> Bool { depth == 0 || (prefix ^ input) >> UInt64(64 - depth) == 0 }

        /// Returns the child on the side that the next bit selects.
        func child(_ bit: Bool) -> Node {
            Node(
                prefix: bit ? prefix | 1 << UInt64(63 - depth) : prefix, depth: depth + 1,
                secret: Array(SHA256.hash(data: [bit ? 1 : 0] + secret)))
        }
    }

    /// The length of a secret.
    static let byteCount = 32

    /// The kept nodes in ascending order of their prefixes. No node covers an input of another.
    private(set) var nodes: [Node]

    init(root: [UInt8]) { nodes = [Node(prefix: 0, depth: 0, secret: root)] }

    /// - Returns: `nil` if the nodes are not in order, overlap, or have a wrong form.
    init?(nodes: [Node]) {
        for node in nodes {
            guard (0...64).contains(node.depth), node.secret.count == Self.byteCount else { return nil }
            guard node.depth == 64 || node.prefix << UInt64(node.depth) == 0 else { return nil }
        }
        for (one, other) in zip(nodes, nodes.dropFirst()) {
            guard one.prefix < other.prefix, !one.covers(other.prefix) else { return nil }
        }
        self.nodes = nodes
    }

    /// Returns the 32-byte value at the input; `nil` if it was destroyed.
    func value(at input: UInt64) -> [UInt8]? {
        guard let index = index(covering: input) else { return nil }
        var node = nodes[index]
        while node.depth < 64 { node = node.child(Self.bit(of: input, after: node)) }
        return node.secret
    }

    /// Returns whether the value at the input was destroyed.
    func isDestroyed(at input: UInt64) -> Bool { index(covering: input) == nil }

    /// Destroys the value at the input.
    mutating func destroy(at input: UInt64) {
        guard let index = index(covering: input) else { return }
        var (node, kept): (Node, [Node]) = (nodes[index], [])
        while node.depth < 64 {
            let bit = Self.bit(of: input, after: node)
            kept.append(node.child(!bit))
            node = node.child(bit)
        }
        nodes.replaceSubrange(index...index, with: kept.sorted { $0.prefix < $1.prefix })
    }

    private static func bit(of input: UInt64, after node: Node) -> Bool { input >> UInt64(63 - node.depth) & 1 == 1 }

    private func index(covering input: UInt64) -> Int? {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].prefix <= input { low = middle + 1 } else { high = middle }
        }
        guard low > 0, nodes[low - 1].covers(input) else { return nil }
        return low - 1
    }
}

/// The owner of a key that encrypts personal values. An owner has a separate key in each log.
package enum PersonKeyOwner: Hashable, Sendable {
    /// A user. The key encrypts all of the user's personal values in the log. Erasing the person destroys the key.
    case user(UserID)
    /// The UTC day of the record's `at`, as `YYYY-MM-DD`. The key encrypts values that belong to no known user.
    case day(String)

    /// Returns the day of `instant` in UTC.
    package static func day(of instant: Timestamp) -> Self {
        .day(CivilDate(daysSinceEpoch: instant.milliseconds.flooredQuotient(by: 86_400_000)).description)
    }
}

/// The random 256-bit key of one owner in one log. Once all copies of the key are destroyed, the owner's values and the salts of
/// their commitments cannot be recovered, even from copies of the log. The key's description is masked.
///
/// Deriving keys from the bytes takes about as long as encrypting a value, so callers should keep
/// the `PersonKey` rather than its bytes.
package struct PersonKey: Sendable {
    /// The length of a key.
    package static let byteCount = 32

    private let secret: Secret<Material>

    /// A class, because keys are copied for each value of an export.
    private final class Material: Sendable {
        let bytes: [UInt8]
        /// HMAC-SHA256 of the key itself, which computes salts.
        let salting: SymmetricKey
        /// The derived key for AES-256-GCM. It differs from the HMAC key, so that no two primitives use the same key.
        let sealing: SymmetricKey

        init(_ bytes: [UInt8]) {
            let key = SymmetricKey(data: bytes)
            let derived = HMAC<SHA256>.authenticationCode(for: Array("doorward/seal/1".utf8), using: key)
            (self.bytes, salting, sealing) = (bytes, SymmetricKey(data: bytes), SymmetricKey(data: derived))
        }
    }

    /// - Returns: `nil` unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(material: bytes)
    }

    /// Creates a new key. In the running gateway, `random` must be a cryptographic source.
    package init(using random: inout some RandomNumberGenerator) {
        self.init(material: (0..<Self.byteCount / 8).reduce(into: []) { bytes, _ in bytes.append(bigEndian: random.next()) })
    }

    private init(material bytes: [UInt8]) { secret = Secret(Material(bytes)) }

    /// Returns the 32 bytes of the key. Only code that stores the key may call this.
    package func revealBytes() -> [UInt8] { secret.reveal().bytes }

    var salting: SymmetricKey { secret.reveal().salting }
    var sealing: SymmetricKey { secret.reveal().sealing }
}

extension PersonKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { secret.description }
    package var debugDescription: String { secret.debugDescription }
    package var customMirror: Mirror { secret.customMirror }
}

/// A record's commitment to a personal value, which is stored beside the record.
package struct PersonalCommitment: Hashable, Sendable {
    /// The record and field of the value.
    package let place: PersonalFieldPath
    /// The owner, in that log, of the key that encrypts the value.
    package let owner: PersonKeyOwner
    /// SHA-256 over field, salt and value.
    package let commitment: Digest32

    package init(place: PersonalFieldPath, owner: PersonKeyOwner, commitment: Digest32) {
        (self.place, self.owner, self.commitment) = (place, owner, commitment)
    }

    /// Decrypts the value and verifies it against the commitment.
    package func open(_ sealed: ArraySlice<UInt8>, under key: PersonKey) throws(PersonalValueError) -> String {
        try disclosed(sealed, under: key).value
    }
}

/// An encrypted personal value, as it is stored beside its record.
package struct SealedValue: Hashable, Sendable {
    /// The field of the record, unique within it.
    package let field: String
    /// The owner, in the record's log, of the key that encrypts the value.
    package let owner: PersonKeyOwner
    /// Nonce, ciphertext and tag of AES-256-GCM.
    package let ciphertext: [UInt8]

    package init(field: String, owner: PersonKeyOwner, ciphertext: [UInt8]) {
        (self.field, self.owner, self.ciphertext) = (field, owner, ciphertext)
    }
}
