import DoorwardAudit
import DoorwardDomain
import Testing

@Suite struct LogCheckTests {
    private typealias Stored = (bytes: [UInt8], leafHash: [UInt8])

    /// Returns a valid log of ten records, and its frontier.
    private func log() throws -> (records: [Stored], frontier: MerkleFrontier) {
        var frontier = MerkleFrontier()
        let records = try (0..<10 as Range<UInt64>).map { seq in
            let encoded = try Samples.encode(Samples.outcome(at: Timestamp(milliseconds: Int64(seq / 2))), seq: seq)
            frontier.append(leafHash: encoded.leafHash)
            return Stored(encoded.bytes, encoded.leafHash)
        }
        return (records, frontier)
    }

    private func fault(_ records: [Stored], _ frontier: [UInt8]) -> LogFault? {
        LogCheck.firstFault(in: records, of: Samples.portfolioLog, storedFrontier: frontier)
    }

    private func stored(_ body: RecordBody, seq: UInt64) throws -> Stored {
        let encoded = try Samples.encode(body, seq: seq)
        return (encoded.bytes, encoded.leafHash)
    }

    @Test("a valid log has no fault, and neither has an empty one")
    func sound() throws {
        let (records, frontier) = try log()
        #expect(fault(records, frontier.bytes) == nil)
        #expect(fault([], MerkleFrontier().bytes) == nil)
    }

    @Test("a removed, doubled or moved record is reported at its position")
    func positions() throws {
        let (records, frontier) = try log()
        var missing = records
        missing.remove(at: 4)
        #expect(fault(missing, frontier.bytes) == LogFault(position: 4, problem: .wrongSeq(5)))
        var doubled = records
        doubled.insert(records[6], at: 7)
        #expect(fault(doubled, frontier.bytes) == LogFault(position: 7, problem: .wrongSeq(6)))
        var swapped = records
        swapped.swapAt(2, 3)
        #expect(fault(swapped, frontier.bytes) == LogFault(position: 2, problem: .wrongSeq(3)))
        #expect(fault(Array(records.dropFirst()), frontier.bytes) == LogFault(position: 0, problem: .wrongSeq(1)))
    }

    @Test("a log that was truncated at its end does not match its frontier")
    func cut() throws {
        let (records, frontier) = try log()
        #expect(fault(Array(records.dropLast()), frontier.bytes) == LogFault(position: 9, problem: .wrongSize(10)))
        #expect(fault([], frontier.bytes) == LogFault(position: 0, problem: .wrongSize(10)))
    }

    @Test("a log whose oldest records were removed is checked from the frontier of those", arguments: 0...10)
    func retained(first: Int) throws {
        let (records, frontier) = try log()
        var removed = MerkleFrontier()
        for record in records.prefix(first) { removed.append(leafHash: record.leafHash) }
        func fault(_ kept: ArraySlice<Stored>, after removed: MerkleFrontier) -> LogFault? {
            LogCheck.firstFault(in: kept, of: Samples.portfolioLog, after: removed, storedFrontier: frontier.bytes)
        }
        #expect(fault(records[first...], after: removed) == nil)
        guard first > 0, first < records.count else { return }
        // One record more or less than the frontier says, and one with another leaf hash among the removed ones.
        let position = UInt64(first)
        #expect(fault(records[(first - 1)...], after: removed) == LogFault(position: position, problem: .wrongSeq(position - 1)))
        #expect(fault(records[(first + 1)...], after: removed)?.position == position)
        var changed = MerkleFrontier()
        for _ in 0..<first { changed.append(leafHash: MerkleTree.leafHash([7])) }
        #expect(fault(records[first...], after: changed) == LogFault(position: 10, problem: .wrongFrontier))
    }

    @Test("a changed byte in a record is reported with that record")
    func changed() throws {
        let (records, frontier) = try log()
        for index in records.indices {
            var changed = records
            // Change the device's name: the bytes are still a record, but have another leaf hash.
            let name = try #require(changed[index].bytes.firstRange(of: Array("Front".utf8)))
            changed[index].bytes[name.lowerBound] = UInt8(ascii: "f")
            #expect(fault(changed, frontier.bytes) == LogFault(position: UInt64(index), problem: .wrongLeafHash))
            // If the leaf hash was changed to match, only the frontier reveals the change.
            changed[index].leafHash = MerkleTree.leafHash(changed[index].bytes)
            #expect(fault(changed, frontier.bytes) == LogFault(position: 10, problem: .wrongFrontier))
        }
    }

    @Test("bytes that are not a record are reported with the decoding error")
    func noRecord() throws {
        var (records, frontier) = try log()
        records[8].bytes[4] = 2
        #expect(fault(records, frontier.bytes) == LogFault(position: 8, problem: .notARecord(.unknownVersion(2))))
    }

    @Test("a record of another log is reported")
    func otherLog() throws {
        var (records, frontier) = try log()
        records[3] = try stored(Samples.start(), seq: 3)
        #expect(fault(records, frontier.bytes) == LogFault(position: 3, problem: .otherLog(.gateway)))
    }

    @Test("a record earlier than the previous one is reported, and one at the same instant is valid")
    func earlier() throws {
        var (records, frontier) = try log()
        records[5] = try stored(Samples.outcome(at: Timestamp(milliseconds: 1)), seq: 5)
        #expect(fault(records, frontier.bytes) == LogFault(position: 5, problem: .earlierThanTheOneBefore))
    }

    @Test("a malformed frontier and a wrong one are reported")
    func frontiers() throws {
        let (records, frontier) = try log()
        #expect(fault(records, []) == LogFault(position: 10, problem: .malformedFrontier))
        var other = frontier.bytes
        other[20] ^= 1
        #expect(fault(records, other) == LogFault(position: 10, problem: .wrongFrontier))
        var longer = frontier
        longer.append(leafHash: records[0].leafHash)
        #expect(fault(records, longer.bytes) == LogFault(position: 10, problem: .wrongSize(11)))
    }

    @Test("a log can be checked record by record, without stored leaf hashes")
    func stepwise() throws {
        let (records, frontier) = try log()
        var check = LogCheck(log: Samples.portfolioLog)
        for record in records { try check.add(record.bytes) }
        #expect(check.frontier == frontier)
        try check.finish(storedFrontier: frontier.bytes)
    }
}

extension LogCheck {
    /// Returns the first fault of a log, from its first retained record to its last, or `nil` if there is none.
    ///
    /// - Parameter removed: the frontier of the tree over the records before the first retained one.
    static func firstFault(
        in records: some Sequence<(bytes: [UInt8], leafHash: [UInt8])>, of log: LogID,
        after removed: MerkleFrontier = MerkleFrontier(), storedFrontier: [UInt8]
    ) -> LogFault? {
        var check = Self(log: log, after: removed)
        do throws(LogFault) {
            for record in records { try check.add(record.bytes, leafHash: record.leafHash) }
            try check.finish(storedFrontier: storedFrontier)
            return nil
        } catch {
            return error
        }
    }
}
