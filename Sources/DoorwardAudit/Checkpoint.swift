import Crypto
import DoorwardDomain
import FoundationEssentials

/// The size and root of a log at one time, as C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint) writes it: the text of a
/// signed note.
package struct Checkpoint: Hashable, Sendable {
    /// The name of the log, unique among all logs of all gateways; see `LogOrigin`.
    package let origin: String
    /// The number of records.
    package let size: UInt64
    /// The root of the Merkle tree over these records; 32 bytes.
    package let root: [UInt8]

    package init(origin: String, size: UInt64, root: [UInt8]) { (self.origin, self.size, self.root) = (origin, size, root) }

    /// The text that is signed.
    package var text: String { "\(origin)\n\(size)\n\(rootText)\n" }

    /// The root in base64 (RFC 4648, section 4).
    package var rootText: String { Data(root).base64EncodedString() }

    /// Reads the text of a checkpoint. Extension lines after the root are permitted and ignored, as the specification requires.
    ///
    /// - Returns: `nil` if it is malformed.
    package init?(parsing text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, lines.last == "", !lines[0].isEmpty, lines.dropLast().allSatisfy({ !$0.isEmpty }),
            let size = UInt64(lines[1]), String(size) == lines[1], let root = SignedNote.base64(lines[2]),
            root.count == MerkleTree.hashByteCount
        else { return nil }
        self.init(origin: String(lines[0]), size: size, root: root)
    }

    /// Signs the checkpoint.
    ///
    /// - Throws: if the cryptographic library fails.
    package func signed(by signer: NoteSigner) throws -> SignedNote {
        SignedNote(text: text, signatures: [try signer.signature(of: text)])
    }

    /// Reads and verifies a checkpoint that one of several keys has signed, as after a rotation of the key. The expected origin and keys
    /// come from the verifier, never from the note.
    ///
    /// - Parameter keys: at least one. A wrong signature of any is preferred, as the fault, to a missing one of the last.
    package static func verified(_ note: String, origin: String, keys: [VerifierKey]) throws(CheckpointFault) -> Checkpoint {
        guard let note = SignedNote(parsing: note), let checkpoint = Checkpoint(parsing: note.text) else { throw .malformed }
        guard checkpoint.origin == origin else { throw .otherOrigin(checkpoint.origin) }
        guard let last = keys.last else { throw .malformed }
        let signatures = keys.compactMap { note.isSigned(by: $0) }
        if signatures.contains(true) { return checkpoint }
        throw signatures.isEmpty ? .notSigned(by: last.name) : .wrongSignature
    }
}

/// Why a signed checkpoint is rejected.
package enum CheckpointFault: Error, Hashable, Sendable {
    /// The text is not a signed checkpoint.
    case malformed
    /// The checkpoint is one of another log, with this origin.
    case otherOrigin(String)
    /// The checkpoint has no signature by the expected key, whose name this is.
    case notSigned(by: String)
    /// The checkpoint has a signature by the expected key that does not match its text.
    case wrongSignature
}

/// A text with signatures, as C2SP signed-note (https://c2sp.org/signed-note) specifies it: the text, an empty line, and one line
/// for each signature.
package struct SignedNote: Hashable, Sendable {
    /// One signature line: `— <name> <base64 of key id ‖ signature>`.
    package struct Signature: Hashable, Sendable {
        /// The name of the key.
        package let name: String
        /// The first four bytes of a hash over the key; see `VerifierKey.id`.
        package let keyID: UInt32
        /// The signature, in the form of the key's algorithm.
        package let bytes: [UInt8]

        package init(name: String, keyID: UInt32, bytes: [UInt8]) { (self.name, self.keyID, self.bytes) = (name, keyID, bytes) }

        /// The line without its line break.
        var line: String {
            var data = withUnsafeBytes(of: keyID.bigEndian) { Array($0) }
            data.append(contentsOf: bytes)
            return "\u{2014} \(name) \(Data(data).base64EncodedString())"
        }

        init?(line: Substring) {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "\u{2014}", SignedNote.isKeyName(parts[1]),
                let data = SignedNote.base64(parts[2]), data.count >= 5
            else { return nil }
            self.init(
                name: String(parts[1]), keyID: data.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, bytes: Array(data.dropFirst(4)))
        }
    }

    /// The signed text; it ends with a line break.
    package let text: String
    /// The signatures, in the order of their lines; at least one.
    package private(set) var signatures: [Signature]

    /// The size up to which a note is read.
    package static let maxBytes = 1_000_000

    package init(text: String, signatures: [Signature]) { (self.text, self.signatures) = (text, signatures) }

    /// Reads a note.
    ///
    /// - Returns: `nil` if it is not one: a malformed line, no signature, a control character, more than 16 signatures.
    package init?(parsing note: String) {
        guard note.utf8.count <= Self.maxBytes,
            note.unicodeScalars.allSatisfy({ $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F }),
            note.utf8.last == UInt8(ascii: "\n")
        else { return nil }
        // The last empty line separates the text from the signatures.
        let lines = note.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        guard let gap = lines.lastIndex(of: ""), gap > 0, gap + 1 < lines.count, lines.count - gap <= 17 else { return nil }
        text = lines[..<gap].joined(separator: "\n") + "\n"
        signatures = lines[(gap + 1)...].compactMap(Signature.init(line:))
        guard signatures.count == lines.count - gap - 1 else { return nil }
    }

    /// The note as it is stored and transferred.
    package var rendered: String { text + "\n" + signatures.map { $0.line + "\n" }.joined() }

    /// Adds a signature, unless the note already has it.
    package mutating func add(_ signature: Signature) {
        if !signatures.contains(signature) { signatures.append(signature) }
    }

    /// Verifies the signature of a key.
    ///
    /// - Returns: `nil` if the note has no signature by this key; false if it has one that is wrong.
    package func isSigned(by key: VerifierKey) -> Bool? {
        let own = signatures.filter { $0.name == key.name && $0.keyID == key.id }
        return own.isEmpty ? nil : own.allSatisfy { key.verifies($0.bytes, over: text) }
    }

    /// Whether a text can be the name of a key: not empty, without spaces and without `+`.
    package static func isKeyName(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0 != "+" && $0.value >= 0x20 }
    }

    /// Decodes base64 with padding (RFC 4648, section 4), and only its one canonical spelling.
    package static func base64(_ text: some StringProtocol) -> [UInt8]? {
        guard let data = Data(base64Encoded: String(text)), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}

/// A public key as C2SP writes it: `<name>+<key id, hexadecimal>+<base64 of the algorithm's byte ‖ key>`.
package struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// The algorithms of signatures that Doorward reads.
    package enum Algorithm: UInt8, Sendable {
        /// An Ed25519 signature over the text.
        case ed25519 = 0x01
        /// A witness's Ed25519 signature over a time and the text (https://c2sp.org/tlog-cosignature).
        case cosignature = 0x04
    }

    /// The name that signature lines carry; for the gateway's key the name of the gateway.
    package let name: String
    /// The algorithm of the key's signatures.
    package let algorithm: Algorithm
    /// The 32 bytes of the public key (RFC 8032).
    package let key: [UInt8]

    package init(name: String, algorithm: Algorithm, key: [UInt8]) {
        (self.name, self.algorithm, self.key) = (name, algorithm, key)
    }

    /// Reads a key's text.
    ///
    /// - Returns: `nil` if it is malformed, its key id is not that of the key, or the algorithm is unknown.
    package init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, SignedNote.isKeyName(parts[0]), parts[1].utf8.count == 8, let id = UInt32(parts[1], radix: 16),
            let data = SignedNote.base64(parts[2]), data.count == 33, let algorithm = Algorithm(rawValue: data[0])
        else { return nil }
        self.init(name: String(parts[0]), algorithm: algorithm, key: Array(data.dropFirst()))
        guard self.id == id else { return nil }
    }

    /// The key id: the first four bytes of SHA-256(name ‖ line break ‖ algorithm ‖ key), big-endian.
    package var id: UInt32 {
        let digest = SHA256.hash(data: Array(name.utf8) + [0x0A, algorithm.rawValue] + key)
        return digest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The key's text, without a line break.
    package var description: String {
        let hexadecimal = String(id, radix: 16)
        let padded = String(repeating: "0", count: 8 - hexadecimal.utf8.count) + hexadecimal
        return "\(name)+\(padded)+\(Data([algorithm.rawValue] + key).base64EncodedString())"
    }

    /// Whether `signature` is the key's signature over `text`.
    func verifies(_ signature: [UInt8], over text: String) -> Bool {
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
        switch algorithm {
        case .ed25519: return publicKey.isValidSignature(signature, for: Array(text.utf8))
        case .cosignature:
            guard signature.count == 72 else { return false }
            let time = signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            return publicKey.isValidSignature(signature.dropFirst(8), for: Self.cosigned(text, at: time))
        }
    }

    /// The bytes that a witness signs.
    static func cosigned(_ text: String, at time: UInt64) -> [UInt8] { Array("cosignature/v1\ntime \(time)\n\(text)".utf8) }
}

/// The private key of the gateway's checkpoints (Ed25519, RFC 8032).
package struct NoteSigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey
    /// The public half.
    package let verifierKey: VerifierKey

    /// - Parameters:
    ///   - name: the key's name in signature lines.
    ///   - seed: the 32 bytes of the private key.
    /// - Throws: if `seed` does not have 32 bytes.
    package init(name: String, seed: [UInt8]) throws {
        key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        verifierKey = VerifierKey(name: name, algorithm: .ed25519, key: Array(key.publicKey.rawRepresentation))
    }

    /// Signs a text, which must end with a line break.
    ///
    /// - Throws: if the cryptographic library fails.
    package func signature(of text: String) throws -> SignedNote.Signature {
        SignedNote.Signature(
            name: verifierKey.name, keyID: verifierKey.id, bytes: Array(try key.signature(for: Array(text.utf8))))
    }

    /// Signs a text as a witness does, for the time `time` in seconds since 1970.
    ///
    /// - Throws: if the cryptographic library fails.
    package func cosignature(of text: String, at time: UInt64) throws -> SignedNote.Signature {
        let witness = VerifierKey(name: verifierKey.name, algorithm: .cosignature, key: verifierKey.key)
        let signature = try key.signature(for: VerifierKey.cosigned(text, at: time))
        let bytes = withUnsafeBytes(of: time.bigEndian) { Array($0) } + Array(signature)
        return SignedNote.Signature(name: witness.name, keyID: witness.id, bytes: bytes)
    }
}

/// The name of a log in its checkpoints, unique among all logs of all gateways: `<gateway name>/logs/<log id>`, followed by
/// `/<generation>` from the second generation on.
///
/// A generation ends when an operator accepts that a log has lost records, for example with a restored backup. The checkpoints of
/// the next one then do not contradict those that were signed before.
package struct LogOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The name of the gateway; also the name of the key that signs the checkpoints.
    package let gateway: String
    /// The log on that gateway.
    package let log: LogID
    /// The generation, from 1.
    package let generation: Int

    package init(gateway: String, log: LogID, generation: Int = 1) {
        (self.gateway, self.log, self.generation) = (gateway, log, generation)
    }

    /// Parses an origin.
    ///
    /// - Returns: `nil` if the text is not the one spelling of an origin.
    package init?(parsing text: some StringProtocol) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var generation = 1
        if parts.count > 3, parts[parts.count - 3] == "logs", let number = Int(parts[parts.count - 1]), number > 1 {
            generation = number
            parts.removeLast()
        }
        guard parts.count >= 3, parts[parts.count - 2] == "logs", let log = LogID(String(parts[parts.count - 1])) else {
            return nil
        }
        self.init(gateway: parts.dropLast(2).joined(separator: "/"), log: log, generation: generation)
        guard description == text, SignedNote.isKeyName(gateway) else { return nil }
    }

    /// The text in the first line of a checkpoint.
    package var description: String { "\(gateway)/logs/\(log)" + (generation > 1 ? "/\(generation)" : "") }
}
