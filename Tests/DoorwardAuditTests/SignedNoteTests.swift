import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SignedNoteTests {
    /// The example of the documentation of Go's `golang.org/x/mod/sumdb/note`, from which C2SP's format is derived.
    private static let goKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    private static let goNote = """
        If you think cryptography is the answer to your problem,
        then you don't know what your problem is.

        \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=

        """

    private static func signer(_ name: String = "doorward.local", seed: UInt8 = 7) throws -> NoteSigner {
        try NoteSigner(name: name, seed: [UInt8](repeating: seed, count: 32))
    }

    private static let checkpoint = Checkpoint(
        origin: "\(LogOrigin(gateway: "doorward.local", log: .gateway))", size: 42, root: [UInt8](repeating: 9, count: 32))

    @Test("the example of Go's notes is read, verified and written with the same bytes")
    func goExample() throws {
        let key = try #require(VerifierKey(parsing: Self.goKey))
        #expect(key.description == Self.goKey)
        let note = try #require(SignedNote(parsing: Self.goNote))
        #expect(note.isSigned(by: key) == true)
        #expect(note.rendered == Self.goNote)
    }

    @Test("a changed byte of text, name, key id or signature makes the note unsigned or its signature wrong")
    func changedBytes() throws {
        let key = try #require(VerifierKey(parsing: Self.goKey))
        let bytes = Array(Self.goNote.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x01
            guard let text = String(validating: changed, as: UTF8.self), let note = SignedNote(parsing: text) else { continue }
            #expect(note.isSigned(by: key) != true, "byte \(index)")
        }
    }

    @Test(
        "malformed notes are rejected",
        arguments: [
            "", "text\n", "text\n\n", "\n\u{2014} a AAAAAAA=\n", "text\n\n\u{2014} a AAAAAAA=", "text\n\n- a AAAAAAAA\n",
            "text\n\n\u{2014} a+b AAAAAAAA\n", "text\n\n\u{2014}  AAAAAAAA\n", "text\n\n\u{2014} a AAAA\n",
            "text\n\n\u{2014} a AAAAAAA\n",
            "te\txt\n\n\u{2014} a AAAAAAAA\n", "text\n\n\u{2014} a AAAAAAAA\n\n", "text\n\n\u{2014} a AAAAAAAA x\n",
            "text\n\n" + String(repeating: "\u{2014} a AAAAAAAA\n", count: 17),
        ])
    func malformed(note: String) { #expect(SignedNote(parsing: note) == nil) }

    @Test("a text with an empty line keeps it: the last empty line separates the signatures")
    func emptyLineInText() throws {
        let note = try #require(SignedNote(parsing: "a\n\nb\n\n\u{2014} k AAAAAAAA\n"))
        #expect(note.text == "a\n\nb\n")
        #expect(note.signatures.map(\.name) == ["k"])
    }

    @Test(
        "keys with a wrong id, length, algorithm or name are rejected",
        arguments: [
            "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeuman+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+c74f20a3+AhpcsQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "PeterNeumann+c74f20a3+ARpc2QcUPDhM",
            "PeterNeumann+c74f20a3", "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "",
        ])
    func wrongKeys(text: String) { #expect(VerifierKey(parsing: text) == nil) }

    @Test("a checkpoint is read and verified as it was signed")
    func checkpoint() throws {
        let signer = try Self.signer()
        let note = try Self.checkpoint.signed(by: signer).rendered
        #expect(
            note.hasPrefix(
                "doorward.local/logs/gateway\n42\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n\n\u{2014} doorward.local "))
        let read = try Checkpoint.verified(note, origin: Self.checkpoint.origin, keys: [signer.verifierKey])
        #expect(read == Self.checkpoint)
    }

    @Test("a checkpoint of another log, by another key, with a wrong signature, or malformed is rejected with its reason")
    func rejectedCheckpoints() throws {
        let (signer, other) = (try Self.signer(), try Self.signer(seed: 8))
        let (origin, key) = (Self.checkpoint.origin, signer.verifierKey)
        let signed = try Self.checkpoint.signed(by: signer)
        #expect(throws: CheckpointFault.otherOrigin(origin)) {
            try Checkpoint.verified(signed.rendered, origin: "elsewhere/logs/gateway", keys: [key])
        }
        #expect(throws: CheckpointFault.notSigned(by: "doorward.local")) {
            try Checkpoint.verified(signed.rendered, origin: origin, keys: [other.verifierKey])
        }
        let moved = SignedNote(text: signed.text.replacing("\n42\n", with: "\n43\n"), signatures: signed.signatures)
        #expect(throws: CheckpointFault.wrongSignature) { try Checkpoint.verified(moved.rendered, origin: origin, keys: [key]) }
        #expect(throws: CheckpointFault.malformed) { try Checkpoint.verified("no checkpoint\n", origin: origin, keys: [key]) }
    }

    @Test(
        "texts that are no checkpoint are rejected",
        arguments: [
            "o\n1\nCQkJ\n", "o\n01\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n",
            "o\n+1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n",
            "o\n-1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n", "\n1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n",
            "o\n1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=",
            "o\n18446744073709551616\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n",
            "o\n1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n\n",
        ])
    func malformedCheckpoints(text: String) { #expect(Checkpoint(parsing: text) == nil) }

    @Test("extension lines of a checkpoint are permitted")
    func extensionLines() {
        let text = "o\n1\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\nextension\n"
        #expect(Checkpoint(parsing: text) == Checkpoint(origin: "o", size: 1, root: [UInt8](repeating: 9, count: 32)))
    }

    @Test("a witness's cosignature is verified together with its time")
    func cosignatures() throws {
        let (signer, witness) = (try Self.signer(), try Self.signer("witness.example/w1", seed: 3))
        let key = VerifierKey(name: "witness.example/w1", algorithm: .cosignature, key: witness.verifierKey.key)
        var note = try Self.checkpoint.signed(by: signer)
        #expect(note.isSigned(by: key) == nil)
        let cosignature = try witness.cosignature(of: note.text, at: 1_795_252_860)
        note.add(cosignature)
        note.add(cosignature)
        #expect(note.signatures.count == 2)
        let read = try #require(SignedNote(parsing: note.rendered))
        #expect(read.isSigned(by: key) == true)
        #expect(read.isSigned(by: signer.verifierKey) == true)
        var late = cosignature.bytes
        late[7] ^= 1
        let forged = SignedNote(
            text: note.text, signatures: [SignedNote.Signature(name: cosignature.name, keyID: cosignature.keyID, bytes: late)])
        #expect(forged.isSigned(by: key) == false)
    }

    @Test(
        "random notes are read as they were written, and each signature is found by its key and by no other",
        arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let words = ["doorward.local", "\u{2014}", "a b", "\u{E9}", "42", "9+8", "=="]
        for _ in 0..<20 {
            let lines = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
                    .joined(separator: " ")
            }
            let text = lines.map { $0 + "\n" }.joined()
            let signers = try (0..<UInt8.random(in: 1...16, using: &generator)).map { try Self.signer("key-\($0)", seed: $0 + 1) }
            var note = SignedNote(text: text, signatures: [])
            for signer in signers { note.add(try signer.signature(of: text)) }
            let read = try #require(SignedNote(parsing: note.rendered))
            #expect(read == note && read.text == text && read.signatures.count == signers.count)
            #expect(signers.allSatisfy { read.isSigned(by: $0.verifierKey) == true })
            #expect(SignedNote(parsing: String(note.rendered.dropLast())) == nil, "the last line has no line break")
            let stranger = try Self.signer("key-0", seed: 99)
            #expect(read.isSigned(by: stranger.verifierKey) == nil)
            // The same signatures under another text.
            let moved = SignedNote(text: text + "more\n", signatures: read.signatures)
            #expect(signers.allSatisfy { moved.isSigned(by: $0.verifierKey) == false })
        }
    }

    @Test("a note has one to sixteen signatures")
    func count() throws {
        var note = SignedNote(text: "text\n", signatures: [])
        #expect(SignedNote(parsing: note.rendered) == nil)
        for number in 1...17 as ClosedRange<UInt8> {
            note.add(try Self.signer("key-\(number)", seed: number).signature(of: note.text))
            #expect((SignedNote(parsing: note.rendered) != nil) == (number <= 16), "\(number) signatures")
        }
    }
}
