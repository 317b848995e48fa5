import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Cosignatures of witnesses over checkpoints: which are accepted, and how long they are kept.
@Suite struct CosignatureTests {
    private static func path(_ house: House) -> String { "/audit/logs/\(house.ids.portfolio)" }

    private static func checkpoint(_ house: House, cosigned: Bool = false) async throws -> Reply {
        try await house.call(.get, "\(path(house))/checkpoint\(cosigned ? "?cosigned=true" : "")", as: .auditor)
    }

    private static func post(_ note: String, _ house: House, as person: House.Person = .auditor) async throws -> Reply {
        let escaped = note.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return try await house.call(.post, "\(path(house))/cosignatures", as: person, #"{"note":"\#(escaped)"}"#)
    }

    /// The times of the witness's cosignatures of a note, which are verified.
    private static func times(_ note: String) throws -> [UInt64] {
        let note = try #require(SignedNote(parsing: note))
        let key = House.key(of: try House.witness.get())
        let own = note.signatures.filter { $0.name == key.name }
        #expect(own.isEmpty || note.isSigned(by: key) == true)
        return own.map { $0.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    }

    @Test("a cosignature is kept with its checkpoint, and outlives later checkpoints, a restart and the compaction of the file")
    func kept() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        #expect(try await Self.checkpoint(house, cosigned: true).status == 404)
        let first = try await Self.checkpoint(house).text
        let reply = try await Self.post(house.cosigned(first, at: 100), house)
        #expect(reply.status == 200 && reply.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(try Self.times(reply.text) == [100])
        #expect(try await Self.checkpoint(house).text == reply.text)

        _ = try await house.command(as: .tenant)
        let second = try await Self.checkpoint(house).text
        #expect(try second != first && Self.times(second) == [])
        #expect(try await Self.checkpoint(house, cosigned: true).text == reply.text)
        let journal = CheckpointJournal(parsing: CheckpointJournal(parsing: house.checkpoints.content ?? []).compacted)
        let log = LogID.portfolio(house.ids.portfolio)
        #expect(journal.newestCosigned[log]?.note.rendered == reply.text)
        #expect(journal.newest[log]?.note.rendered == second)
    }

    @Test("a witness may cosign a checkpoint that is no longer the newest; a repetition adds nothing, a later time replaces")
    func older() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let first = try await Self.checkpoint(house).text
        _ = try await house.command(as: .tenant)
        let second = try await Self.checkpoint(house).text
        #expect(try await Self.post(house.cosigned(first, at: 100), house).status == 200)
        #expect(try await Self.checkpoint(house).text == second)
        let lines = house.checkpoints.written.count
        #expect(try await Self.post(house.cosigned(first, at: 100), house).status == 200)
        #expect(house.checkpoints.written.count == lines)
        #expect(try await Self.times(Self.post(house.cosigned(first, at: 200), house).text) == [200])
        #expect(try await Self.times(Self.checkpoint(house, cosigned: true).text) == [200])
        #expect(try await Self.times(Self.post(house.cosigned(second, at: 300), house).text) == [300])
        // The cosignature of an older checkpoint does not replace that of a newer one.
        #expect(try await Self.post(house.cosigned(first, at: 400), house).status == 200)
        #expect(try await Self.times(Self.checkpoint(house, cosigned: true).text) == [300])
    }

    @Test("a rotation of the key keeps the cosignatures of the newest checkpoint")
    func rotation() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let note = try await Self.checkpoint(house).text
        #expect(try await Self.post(house.cosigned(note, at: 100), house).status == 200)
        #expect(try await house.call(.post, "/audit/key-rotation", as: .superAdmin).status == 200)
        let rotated = try await Self.checkpoint(house).text
        #expect(try rotated != note && Self.times(rotated) == [100])
        #expect(try #require(SignedNote(parsing: rotated)).signatures.count == 3)
    }

    @Test("only a checkpoint of this log, signed by this gateway and rightly cosigned by a configured witness is accepted")
    func refused() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let note = try await Self.checkpoint(house).text
        let other = try NoteSigner(name: "witness.example/w2", seed: [UInt8](repeating: 8, count: 32))
        let gateway = try await house.call(.get, "/audit/logs/gateway/checkpoint", as: .superAdmin).text
        let parsed = try #require(SignedNote(parsing: note).flatMap { Checkpoint(parsing: $0.text) })
        let forger = try NoteSigner(name: "doorward.test", seed: [UInt8](repeating: 6, count: 32))
        let forged = try Checkpoint(origin: parsed.origin, size: 1, root: parsed.root).signed(by: forger).rendered
        var wrong = try #require(SignedNote(parsing: note))
        let right = try House.witness.get().cosignature(of: note, at: 5)
        wrong.add(right)
        let cases: [(String, String)] = [
            ("", "note: malformed"), ("nonsense\n", "note: malformed"), (note, "note: unknown_witness"),
            (try house.cosigned(note, by: other), "note: unknown_witness"),
            (try house.cosigned(gateway), "note: other_log"), (try house.cosigned(forged), "note: wrong_signature"),
            (wrong.rendered, "note: wrong_signature"),
        ]
        let written = house.checkpoints.written
        for (text, problem) in cases {
            let reply = try await Self.post(text, house)
            #expect(reply.status == 400 && reply.problems == [problem], "\(text): \(reply.text)")
        }
        let missing = try await house.call(.post, "\(Self.path(house))/cosignatures", as: .auditor, "{}")
        #expect(missing.problems == ["note: required"])
        #expect(try await Self.post(house.cosigned(note), house, as: .stranger).code == "forbidden")
        #expect(house.checkpoints.written == written)
        // The lines of other keys are not kept.
        let both = try house.cosigned(house.cosigned(note, by: other))
        let kept = try #require(SignedNote(parsing: try await Self.post(both, house).text))
        #expect(kept.signatures.map(\.name) == ["doorward.test", "witness.example/w1"])
    }

    @Test("while the file cannot be written, a cosignature is not accepted; afterwards it is")
    func fullDisk() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let note = try await Self.checkpoint(house).text
        house.checkpoints.failNextAppend(after: 10)
        #expect(try await Self.post(house.cosigned(note), house).status == 500)
        #expect(try await Self.checkpoint(house, cosigned: true).status == 404)
        #expect(try await Self.post(house.cosigned(note), house).status == 200)
        let journal = CheckpointJournal(parsing: house.checkpoints.content ?? [])
        #expect(journal.damagedLine == nil && !journal.hasIncompleteLine)
        #expect(journal.newestCosigned.count == 1)
    }
}
