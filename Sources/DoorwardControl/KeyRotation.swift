internal import DoorwardAudit
internal import DoorwardDomain

/// The statement that a new key replaces an old one, signed by both.
struct KeyRotation {
    /// What the record of the rotation contains.
    let details: [String: RecordValue]

    /// The signed text: both keys, each in a line of its own after a line with the purpose.
    static func text(from old: VerifierKey, to new: VerifierKey) -> String { "doorward/key-rotation/1\n\(old)\n\(new)\n" }

    init(from old: NoteSigner, to new: NoteSigner) throws {
        let text = Self.text(from: old.verifierKey, to: new.verifierKey)
        let note = SignedNote(text: text, signatures: [try old.signature(of: text), try new.signature(of: text)])
        details = [
            "note": .string(note.rendered), "oldKey": .string("\(old.verifierKey)"), "newKey": .string("\(new.verifierKey)"),
        ]
    }
}
