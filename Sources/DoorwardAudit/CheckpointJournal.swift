import DoorwardDomain
import FoundationEssentials

/// The content of a gateway's checkpoint file: one JSON object with the member `note`, a signed checkpoint, in each line.
///
/// A crash while a line is appended leaves an incomplete last line, which is not part of the journal.
package struct CheckpointJournal: Sendable {
    /// One checkpoint with its note.
    package struct Entry: Hashable, Sendable {
        /// The signed note.
        package private(set) var note: SignedNote
        /// The text of the note, decoded.
        package let checkpoint: Checkpoint
        /// The origin of the checkpoint, decoded.
        package let origin: LogOrigin

        /// - Returns: `nil` if the note is not a checkpoint of a gateway's log.
        package init?(_ note: SignedNote) {
            guard let checkpoint = Checkpoint(parsing: note.text), let origin = LogOrigin(parsing: checkpoint.origin) else {
                return nil
            }
            (self.note, self.checkpoint, self.origin) = (note, checkpoint, origin)
        }

        /// The signatures of other keys than the gateway's: the cosignatures of witnesses.
        package var cosignatures: [SignedNote.Signature] { note.signatures.filter { $0.name != origin.gateway } }

        /// The entry with the cosignatures of the note added; each replaces an earlier one of the same witness.
        package func adding(_ cosignatures: [SignedNote.Signature]) -> Entry {
            func isReplaced(_ signature: SignedNote.Signature) -> Bool {
                cosignatures.contains { ($0.name, $0.keyID) == (signature.name, signature.keyID) }
            }
            var entry = self
            entry.note = SignedNote(text: note.text, signatures: note.signatures.filter { !isReplaced($0) } + cosignatures)
            return entry
        }

        /// Whether a key of the gateway has signed the checkpoint.
        ///
        /// - Parameter keys: the public keys that the gateway has or had, 32 bytes each.
        package func isSigned(byOneOf keys: some Sequence<[UInt8]>) -> Bool {
            keys.contains { note.isSigned(by: VerifierKey(name: origin.gateway, algorithm: .ed25519, key: $0)) == true }
        }
    }

    /// The entries in the order in which they were written.
    package private(set) var entries: [Entry] = []
    /// The number of the first line, from 1, that is complete and not an entry; `nil` if there is none. No crash leaves such a line.
    package private(set) var damagedLine: Int?
    /// Whether the last line is incomplete.
    package let hasIncompleteLine: Bool

    /// An empty journal.
    package init() { hasIncompleteLine = false }

    /// Reads a checkpoint file. Damaged lines are left out.
    package init(parsing bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        hasIncompleteLine = lines.popLast().map { !$0.isEmpty } ?? false
        for (index, line) in lines.enumerated() {
            if let entry = Self.entry(Array(line)) {
                entries.append(entry)
            } else if damagedLine == nil {
                damagedLine = index + 1
            }
        }
    }

    private struct Line: Codable {
        let note: String
    }

    private static func entry(_ line: [UInt8]) -> Entry? {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
        return SignedNote(parsing: line.note).flatMap(Entry.init)
    }

    /// The line of an entry, with its line break.
    package static func line(_ note: SignedNote) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // A string always has an encoding.
        return ((try? encoder.encode(Line(note: note.rendered))).map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
    }

    /// The newest entry of each log: that of the highest generation, and in it the one with the most records.
    package var newest: [LogID: Entry] { Self.newest(of: entries) }

    /// The newest entry of each log that a witness has cosigned.
    package var newestCosigned: [LogID: Entry] { Self.newest(of: entries.filter { !$0.cosignatures.isEmpty }) }

    private static func newest(of entries: [Entry]) -> [LogID: Entry] {
        // If two notes cover the same records, the later note is signed by the newer key.
        Dictionary(entries.map { ($0.origin.log, $0) }) { known, new in
            (new.origin.generation, new.checkpoint.size) >= (known.origin.generation, known.checkpoint.size) ? new : known
        }
    }

    /// The lines of the newest entries and of the newest cosigned ones, in the order of the logs' ids.
    package var compacted: [UInt8] {
        let cosigned = newestCosigned
        return newest.sorted { $0.key.description < $1.key.description }.flatMap { log, entry in
            let earlier = cosigned[log].flatMap { $0 == entry ? nil : Self.line($0.note) } ?? []
            return earlier + Self.line(entry.note)
        }
    }

    /// The number of entries that `compacted` keeps.
    package var compactedCount: Int {
        let newest = newest
        return newest.count + newestCosigned.count { newest[$0.key] != $0.value }
    }
}
