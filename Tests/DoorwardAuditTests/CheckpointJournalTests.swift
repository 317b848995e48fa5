import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct CheckpointJournalTests {
    private static let portfolio = LogID.portfolio(PortfolioID(high: 1, low: 2))

    private static func note(
        _ log: LogID = .gateway, size: UInt64, generation: Int = 1, gateway: String = "doorward.local", seed: UInt8 = 7
    ) throws -> SignedNote {
        let origin = LogOrigin(gateway: gateway, log: log, generation: generation)
        return try Checkpoint(
            origin: origin.description, size: size, root: [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: 32)
        ).signed(by: NoteSigner(name: gateway, seed: [UInt8](repeating: seed, count: 32)))
    }

    @Test("lines are read back in their order")
    func lines() throws {
        let notes = try [Self.note(size: 1), Self.note(Self.portfolio, size: 9), Self.note(size: 3, generation: 2)]
        let journal = CheckpointJournal(parsing: notes.flatMap(CheckpointJournal.line))
        #expect(journal.entries.map(\.note) == notes)
        #expect(journal.entries.map(\.checkpoint.size) == [1, 9, 3])
        #expect(journal.entries.map(\.origin.generation) == [1, 1, 2])
        #expect(journal.damagedLine == nil)
        #expect(!journal.hasIncompleteLine)
    }

    @Test("a file that is cut at any byte has all complete lines and no damaged one")
    func torn() throws {
        let lines = try [1, 2, 3].map { CheckpointJournal.line(try Self.note(size: $0)) }
        let bytes = lines.flatMap(\.self)
        let ends = lines.indices.map { lines[...$0].reduce(0) { $0 + $1.count } }
        for count in 0...bytes.count {
            let journal = CheckpointJournal(parsing: Array(bytes.prefix(count)))
            #expect(journal.entries.count == ends.count { $0 <= count }, "\(count) bytes")
            #expect(journal.hasIncompleteLine == (count > 0 && !ends.contains(count)), "\(count) bytes")
            #expect(journal.damagedLine == nil)
        }
    }

    @Test("a complete line that is no checkpoint is damaged; the others are read")
    func damaged() throws {
        let good = CheckpointJournal.line(try Self.note(size: 1))
        let other = try SignedNote(
            text: "hello\n", signatures: [NoteSigner(name: "a", seed: [UInt8](repeating: 1, count: 32)).signature(of: "hello\n")])
        for bad in [
            Array("\n".utf8), Array("{}\n".utf8), [0, 0, 10], CheckpointJournal.line(other), Array("{\"note\":\"x\"}\n".utf8),
        ] {
            let journal = CheckpointJournal(parsing: good + bad + good)
            #expect(journal.entries.count == 2)
            #expect(journal.damagedLine == 2)
        }
    }

    @Test("the newest entry of a log has the highest generation, then the most records, and is the later one of two that equal")
    func newest() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            var notes: [SignedNote] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                notes.append(
                    try Self.note(
                        Bool.random(using: &random) ? .gateway : Self.portfolio, size: .random(in: 0...3, using: &random),
                        generation: .random(in: 1...3, using: &random), seed: .random(in: 1...2, using: &random)))
            }
            let journal = CheckpointJournal(parsing: notes.flatMap(CheckpointJournal.line))
            for log in [LogID.gateway, Self.portfolio] {
                let own = journal.entries.filter { $0.origin.log == log }
                let expected = own.max { a, b in
                    (a.origin.generation, a.checkpoint.size) < (b.origin.generation, b.checkpoint.size)
                }
                let last = own.last {
                    $0.origin.generation == expected?.origin.generation && $0.checkpoint.size == expected?.checkpoint.size
                }
                #expect(journal.newest[log] == last)
            }
            let compacted = CheckpointJournal(parsing: journal.compacted)
            #expect(compacted.newest == journal.newest)
            #expect(compacted.entries.count == journal.newest.count)
        }
    }

    @Test("an entry is verified with each key that its gateway had, under the name in its origin")
    func keys() throws {
        let entry = try #require(CheckpointJournal(parsing: CheckpointJournal.line(try Self.note(size: 4))).entries.first)
        let own = try NoteSigner(name: "any", seed: [UInt8](repeating: 7, count: 32)).verifierKey.key
        let other = try NoteSigner(name: "any", seed: [UInt8](repeating: 8, count: 32)).verifierKey.key
        #expect(entry.isSigned(byOneOf: [own]))
        #expect(entry.isSigned(byOneOf: [other, own]))
        #expect(!entry.isSigned(byOneOf: [other]))
        #expect(!entry.isSigned(byOneOf: []))
    }
}
