import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords
@testable import DoorwardTenancy

/// Removing records whose retention has ended.
@Suite struct LogRetentionTests {
    private static let day = Duration.seconds(86_400)

    /// Sets the retention of the house's portfolio.
    private func keep(_ days: Int?, legalHold: Bool = false, in house: House) async throws {
        _ = try await house.control.portfolios.changeRetention(
            house.caller(house.ids.owner), of: house.ids.portfolio, days: days.map { Patch.set($0) } ?? .cleared,
            legalHold: legalHold)
    }

    private func kept(_ house: House) async throws -> LogRange {
        try #require(try await house.store.range(of: .portfolio(house.ids.portfolio), from: 0, limit: 10_000))
    }

    private func records(_ house: House) async throws -> [AccessRecord] {
        try await house.store.records(
            RecordQuery(scopes: [.portfolioLog(house.ids.portfolio)], order: .oldestFirst, limit: 10_000))
    }

    /// Appends records of lock events at the present time.
    private func append(_ count: Int, to house: House) async throws {
        let now = house.clock.now()
        let records = (0..<count).map { index in
            PendingRecord(
                RecordBody(
                    log: .portfolio(house.ids.portfolio), id: RecordID(high: UInt64(now.milliseconds), low: UInt64(index)),
                    at: now,
                    kind: .deviceEvent, actor: RecordActor(kind: .device, id: "\(house.ids.door)"), source: .device,
                    event: .locked, method: .manual))
        }
        _ = try await house.store.commit(StoreTransaction(records: records))
    }

    @Test("Records are removed in the night after they became as old as the retention, once a day, and each removal is recorded")
    func expired() async throws {
        let house = try await House()
        try await keep(2, in: house)
        try await append(5, to: house)
        let (size, begun) = (try await kept(house).size, house.clock.now())
        let leaves = try await kept(house).entries.map(\.leafHash)
        // The end of the day is not the end of the retention.
        house.clock.advance(by: Self.day * 2)
        await house.control.logRetention.removeExpired()
        #expect(try await kept(house).firstSeq == 0)
        house.clock.advance(by: Self.day)
        try await append(1, to: house)
        await house.control.logRetention.removeExpired()
        let (range, found) = (try await kept(house), try await records(house))
        #expect(range.firstSeq == size)
        #expect(found.map(\.seq) == [size, size + 1])
        let cut = try #require(found.last?.body)
        #expect(cut.kind == .gateway && cut.event == .retentionCut && cut.actor.kind == .gateway)
        #expect(cut.portfolioID == house.ids.portfolio)
        let limit = LogRetention.limit(house.clock.now(), days: 2)
        #expect(begun < limit && limit.milliseconds % 86_400_000 == 0)
        #expect(cut.details["fromSeq"] == .integer(0) && cut.details["untilSeq"] == .integer(Int64(size)))
        #expect(cut.details["before"] == .string(limit.description) && cut.details["days"] == .integer(2))
        #expect(cut.details["root"] != nil)
        for (seq, leaf) in leaves.enumerated() {
            #expect(try await house.store.node(level: 0, index: UInt64(seq), of: cut.log) == leaf)
        }
        // Nothing more on the same day.
        await house.control.logRetention.removeExpired()
        #expect(try await kept(house) == range)
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty, "the other portfolio has no retention")
    }

    @Test("Nothing is removed without a retention, under a legal hold, and while the clock is not trusted")
    func nothingRemoved() async throws {
        let house = try await House()
        try await append(3, to: house)
        house.clock.advance(by: Self.day * 40)
        let untouched = { @Sendable () async throws in
            await house.control.logRetention.removeExpired()
            #expect(try await self.kept(house).firstSeq == 0)
        }
        try await untouched()
        try await keep(30, legalHold: true, in: house)
        try await untouched()
        // A step of the wall clock would make every record look old.
        try await keep(100, in: house)
        house.clock.stepWall(by: Self.day * 90)
        try await untouched()
        _ = try await house.control.clockWatch.accept(house.caller(house.ids.superAdmin), loweringMark: false)
        await house.control.logRetention.removeExpired()
        #expect(try await kept(house).firstSeq > 0)
    }

    @Test("A long removal is done in slices, and a legal hold stops it before the next one")
    func slices() async throws {
        let house = try await House()
        try await keep(1, in: house)
        try await append(1_300, to: house)
        house.clock.advance(by: Self.day * 3)
        let slice = LogRetention.recordsPerSlice
        let isDone = Seen<Bool>()
        let task = Task {
            await house.control.logRetention.removeExpired()
            isDone.value = true
        }
        while try await kept(house).firstSeq < slice { await Task.yield() }
        #expect(try await kept(house).firstSeq == slice)
        try await keep(1, legalHold: true, in: house)
        await advance(house.clock, until: isDone)
        await task.value
        #expect(try await kept(house).firstSeq == slice, "nothing is removed after the answer to the hold")
        try await keep(1, in: house)
        let isAllDone = Seen<Bool>()
        let rest = Task {
            await house.control.logRetention.removeExpired()
            isAllDone.value = true
        }
        await advance(house.clock, until: isAllDone)
        await rest.value
        #expect(try await kept(house).firstSeq >= 1_300)
        let cuts = try await records(house).filter { $0.body.event == .retentionCut }
        let ranges = cuts.map { [$0.body.details["fromSeq"], $0.body.details["untilSeq"]] }
        #expect(ranges.first == [.integer(0), .integer(Int64(slice))])
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0[1] == $1[0] }, "the removals are adjacent: \(ranges)")
    }

    private func advance(_ clock: VirtualClock, until isDone: Seen<Bool>) async {
        while isDone.value == nil {
            // Not to the next sleeper, which may wait for days: then the records of the removals would expire, too.
            clock.advance(by: LogRetention.pause)
            await Task.yield()
        }
    }

    @Test(
        "The limit is the beginning of a day in UTC",
        arguments: [(0, 1), (1, 1), (86_399_999, 1), (86_400_000, 3), (-1, 2)] as [(Int64, Int)])
    func limit(offset: Int64, days: Int) {
        let day: Int64 = 86_400_000
        let now = Timestamp(milliseconds: 20_000 * day + offset)
        let limit = LogRetention.limit(now, days: days)
        #expect(limit.milliseconds % day == 0)
        let age = now.milliseconds - limit.milliseconds
        #expect(age >= Int64(days) * day && age < Int64(days + 1) * day)
    }
}
