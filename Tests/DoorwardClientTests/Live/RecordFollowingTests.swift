import DoorwardClientTesting
import Testing

@testable import DoorwardClient

extension Doorward.AccessRecord {
    /// A record as a manager sees it.
    static func record(_ log: String, _ seq: UInt64, at milliseconds: Int64? = nil) -> Self {
        var record = Self(
            id: "\(log)-\(seq)", at: Doorward.Instant(milliseconds: milliseconds ?? Int64(seq) * 1000), kind: "DEVICE_EVENT")
        (record.logId, record.seq) = (log, seq)
        return record
    }

    /// The same record as a resident sees it.
    var reduced: Self {
        var record = self
        (record.logId, record.seq) = (nil, nil)
        return record
    }
}

/// Takes the records of a sequence one after the other.
final class Follower: Sendable {
    private let stream: AsyncStream<Result<FollowedRecord, any Error>>
    private let task: Task<Void, Never>

    init(_ sequence: RecordSequence) {
        let (stream, continuation) = AsyncStream<Result<FollowedRecord, any Error>>.makeStream()
        self.stream = stream
        task = Task {
            do { for try await record in sequence { continuation.yield(.success(record)) } } catch {
                continuation.yield(.failure(error))
            }
            continuation.finish()
        }
    }

    deinit { task.cancel() }

    func next(_ count: Int) async throws -> [FollowedRecord] {
        var records: [FollowedRecord] = []
        for await result in stream {
            records.append(try result.get())
            if records.count == count { break }
        }
        return records
    }

    func stop() { task.cancel() }
}

@Suite struct RecordFollowingTests {
    private let query = LiveQuery<Doorward.AccessRecord>.device("d")
    /// What a follower subscribes to that begins with the first record.
    private var fromFirst: Need { query.with("from", "1970-01-01T00:00:00.000Z").need }

    private func change(_ rig: LiveRig, _ records: [Doorward.AccessRecord]) async {
        let need = rig.stream.subscriptions.first { $0.type == .accessRecord }
        for record in records { await rig.stream.change([need ?? query.need], record) }
    }

    @Test func followingBeginsNow() async throws {
        let rig = LiveRig()
        let follower = Follower(rig.live.follow(query))
        await rig.stream.open()
        await rig.stream.snapshot(query.need, [Doorward.AccessRecord.record("l", 1), .record("l", 2)])
        await change(rig, [.record("l", 2), .record("l", 3), .record("l", 3), .record("l", 4)])
        #expect(try await follower.next(2).map(\.record.id) == ["l-3", "l-4"])
    }

    @Test func aCursorResumesAfterARestart() async throws {
        let first = LiveRig()
        let follower = Follower(first.live.follow(query, after: RecordCursor()))
        await first.stream.open()
        await first.stream.snapshot(
            fromFirst, [Doorward.AccessRecord.record("l", 1), .record("m", 7, at: 1500), .record("l", 2)])
        let records = try await follower.next(3)
        #expect(records.map(\.record.id) == ["l-1", "m-7", "l-2"])
        let text = "\(records[2].cursor)"

        let second = LiveRig()
        let cursor = try #require(RecordCursor(text))
        let restarted = Follower(second.live.follow(query, after: cursor))
        await second.stream.open()
        let need = query.with("from", "1970-01-01T00:00:01.500Z").need
        #expect(second.stream.subscriptions == [need])
        await second.stream.snapshot(need, [Doorward.AccessRecord.record("m", 7, at: 1500), .record("l", 2), .record("l", 3)])
        await second.stream.change([need], Doorward.AccessRecord.record("m", 8, at: 4000))
        #expect(try await restarted.next(2).map(\.record.id) == ["l-3", "m-8"])
    }

    @Test func aReducedViewIsFollowedByTimeAndID() async throws {
        let rig = LiveRig()
        let follower = Follower(rig.live.follow(query, after: RecordCursor(since: Doorward.Instant(milliseconds: 5000))))
        await rig.stream.open()
        let need = query.with("from", "1970-01-01T00:00:05.000Z").need
        let records = (5..<9).map { Doorward.AccessRecord.record("l", UInt64($0)).reduced }
        await rig.stream.snapshot(need, records)
        #expect(try await follower.next(4).map(\.record.id) == records.map(\.id))
        await rig.stream.change([need], records[3])
        await rig.stream.change([need], Doorward.AccessRecord.record("l", 9).reduced)
        let last = try await follower.next(1)
        #expect(last.map(\.record.id) == ["l-9"])
        var cursor = last[0].cursor
        for record in records {
            let isNew = cursor.insert(record)
            #expect(!isNew, "also after a restart")
        }
    }

    /// The position after a list: what the list has or has left out is not new, and each later record is.
    @Test func aPositionAfterAListLeavesNothingOut() throws {
        let list: [Doorward.AccessRecord] = [.record("m", 9, at: 5000), .record("l", 4), .record("l", 3)]
        func isNew(_ record: Doorward.AccessRecord, hasEarlier: Bool = true, since: Int64? = nil) -> Bool {
            var cursor = RecordCursor(
                after: list, hasEarlier: hasEarlier, since: since.map { Doorward.Instant(milliseconds: $0) })
            return cursor.insert(record)
        }
        for known in list { #expect(!isNew(known)) }
        #expect(!isNew(.record("l", 2)))
        #expect(isNew(.record("l", 5)))
        #expect(isNew(.record("l", 5, at: 3000)), "in the same millisecond as a known record of its log")
        #expect(isNew(.record("m", 10, at: 5000)))
        // Another log, of which the list has no record.
        #expect(!isNew(.record("n", 0, at: 3000)), "before the list, or left out")
        #expect(isNew(.record("n", 0, at: 3001)))
        #expect(isNew(.record("n", 0, at: 2000), hasEarlier: false), "a complete list has no earlier records")
        #expect(!isNew(.record("n", 0, at: 2000), hasEarlier: false, since: 2500))
        #expect(RecordCursor(after: list, hasEarlier: true, since: nil).from?.milliseconds == 4000)
        #expect(RecordCursor(after: [], hasEarlier: false, since: nil).from == nil)
        #expect(RecordCursor(after: [], hasEarlier: false, since: Doorward.Instant(milliseconds: 7)).from?.milliseconds == 7)
        let cursor = RecordCursor(after: list, hasEarlier: true, since: nil)
        #expect(RecordCursor("\(cursor)") == cursor)
    }

    @Test func aReducedListIsFollowedByTimeAndID() {
        let list = [6, 5].map { Doorward.AccessRecord.record("l", UInt64($0)).reduced }
        var cursor = RecordCursor(after: list, hasEarlier: true, since: nil)
        let isNew = [4, 5, 6, 7].map { cursor.insert(Doorward.AccessRecord.record("l", UInt64($0)).reduced) }
        #expect(isNew == [false, false, false, true])
    }

    @Test func recordsThatHaveArrivedAreTakenTogetherWithTheirJSON() async throws {
        let rig = LiveRig()
        let records = rig.live.follow(query, after: RecordCursor()).makeAsyncIterator()
        let server = Task {
            await rig.stream.open()
            await rig.stream.snapshot(fromFirst, (0..<3).map { Doorward.AccessRecord.record("l", UInt64($0)) })
        }
        let batch = try await records.nextBatch()
        await server.value
        #expect(batch.map(\.record.id) == ["l-0", "l-1", "l-2"])
        #expect(batch.last?.cursor.from?.milliseconds == 2000)
        for followed in batch {
            let entry = followed.entry
            #expect(entry.value == followed.record)
            #expect(String(decoding: entry.json, as: UTF8.self).hasPrefix("{"))
        }
        let next = Task { try await records.nextBatch() }
        next.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
    }

    /// What the stream could not resume is read again from the last known record.
    @Test func aResetLeavesNothingOut() async throws {
        let rig = LiveRig()
        let follower = Follower(rig.live.follow(query, after: RecordCursor()))
        await rig.stream.open()
        await rig.stream.snapshot(fromFirst, [Doorward.AccessRecord.record("l", 1)])
        #expect(try await follower.next(1).count == 1)
        await rig.stream.reset(fromFirst)
        // A snapshot of the newest records alone, which leaves some out.
        await rig.stream.send("snapshot", #"{"name":"accessRecord-1","type":"accessRecord","objects":[],"last":true}"#)
        let need = query.with("from", "1970-01-01T00:00:01.000Z").need
        await rig.stream.waitForSubscriptions([need])
        await rig.stream.snapshot(need, (1..<6).map { Doorward.AccessRecord.record("l", UInt64($0)) })
        #expect(try await follower.next(4).map(\.record.id) == ["l-2", "l-3", "l-4", "l-5"])
    }

    /// A follower that takes nothing holds neither the stream nor the memory, and misses nothing.
    @Test func aSlowFollowerMissesNothing() async throws {
        let rig = LiveRig()
        let all = (0..<RecordBuffer.capacity * 2 + 500).map { Doorward.AccessRecord.record("l", UInt64($0)) }
        let other = try await rig.live.subscribe("another view", to: LiveQuery<Doorward.Unit>.all)
        let iterator = rig.live.follow(query, after: RecordCursor()).makeAsyncIterator()
        let first = Task {
            await rig.stream.open()
            await rig.stream.snapshot(fromFirst, [all[0]])
        }
        var ids = [try await iterator.next()?.record.id]
        await first.value
        for record in all.dropFirst() where !rig.stream.names(of: fromFirst).isEmpty {
            await rig.stream.change([fromFirst], record)
        }
        await rig.stream.waitForSubscriptions([.units()])
        // Each subscription gets everything from its beginning on.
        let server = Task {
            var served = fromFirst
            while !Task.isCancelled {
                if let need = rig.stream.subscriptions.first(where: { $0.type == .accessRecord }), need != served,
                    let from = need.filters["from"]
                {
                    served = need
                    await rig.stream.snapshot(need, all.filter { "\($0.at)" >= from })
                }
                await Task.yield()
            }
        }
        while ids.count < all.count, let record = try await iterator.next() { ids.append(record.record.id) }
        #expect(ids == all.map(\.id))
        server.cancel()
        await other.cancel()
        #expect(rig.stream.log.filter { $0 == "put accessRecord" }.count >= 1)
    }

    @Test func theEndIsAnError() async throws {
        let rig = LiveRig()
        let follower = Follower(rig.live.follow(query))
        await rig.stream.open()
        await rig.stream.revoked(query.need)
        await #expect(throws: DoorwardError.revoked) { try await follower.next(1) }
    }

    @Test func stoppingEndsTheSubscription() async throws {
        let rig = LiveRig()
        let follower = Follower(rig.live.follow(query))
        await rig.stream.open()
        follower.stop()
        await rig.settle(names: 0)
    }

    // MARK: - Cursors

    @Test func aCursorSurvivesItsText() throws {
        var cursor = RecordCursor(since: Doorward.Instant(milliseconds: 5))
        #expect(RecordCursor("\(cursor)") == cursor)
        let records: [(Doorward.AccessRecord, Bool)] = [
            (.record("l", 3), true), (.record("l", 2), false), (.record("l", 3), false), (.record("m", 1), true),
            (Doorward.AccessRecord.record("x", 9).reduced, true), (Doorward.AccessRecord.record("x", 9).reduced, false),
        ]
        for (record, expected) in records {
            let isNew = cursor.insert(record)
            #expect(isNew == expected, "\(record.id)")
        }
        #expect(RecordCursor("\(cursor)") == cursor)
        #expect(RecordCursor("not a cursor") == nil && RecordCursor("") == nil)
    }

    /// A log that has been quiet for a month does not make a restart read a month of the others.
    @Test func aQuietLogBoundsTheReplay() {
        var cursor = RecordCursor()
        #expect(cursor.from == nil)
        _ = cursor.insert(.record("quiet", 1, at: 0))
        _ = cursor.insert(.record("busy", 1, at: 30 * 86_400_000))
        #expect(cursor.from == Doorward.Instant(milliseconds: 29 * 86_400_000))
    }

    @Test func aReducedViewRemembersAMinute() {
        var cursor = RecordCursor()
        var new = 0
        for seq in 0..<2000 { new += cursor.insert(Doorward.AccessRecord.record("l", UInt64(seq)).reduced) ? 1 : 0 }
        #expect(new == 2000)
        #expect("\(cursor)".utf8.count < 10_000, "and not everything")
        for seq: UInt64 in [1950, 5] {
            let isNew = cursor.insert(Doorward.AccessRecord.record("l", seq).reduced)
            #expect(!isNew)
        }
    }
}
