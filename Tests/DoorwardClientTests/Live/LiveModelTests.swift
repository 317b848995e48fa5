import DoorwardClientTesting
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardClient

/// Random histories against a model of the gateway: whatever breaks, the local copy becomes what the gateway has, and each record
/// is received once and in order.
@Suite struct LiveModelTests {
    private final class World {
        let gateway = ModelGateway()
        let clock = VirtualLiveClock()
        let live: Live
        var random: SeededGenerator
        var handles: [LiveSubscription<Device>] = []
        var sequences: [String: UInt64] = [:]
        var time: Int64 = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            live = Live(transport: gateway, clock: clock, random: { 0.5 })
        }

        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        func step() async throws {
            switch number(0..<100) {
            case 0..<35: changeDoor()
            case 35..<55: appendRecord()
            case 55..<63:
                let query: LiveQuery<Device> = number(0..<4) == 0 ? .all : .property("p\(number(0..<3))")
                handles.append(await live.subscription(query))
            case 63..<70: if !handles.isEmpty { await handles.remove(at: number(0..<handles.count)).cancel() }
            case 70..<80: await pump(limit: number(1..<6))
            case 80..<86: gateway.disconnect()
            case 86..<88:
                gateway.forgetPositions()
                gateway.disconnect()
            case 88..<90: await live.wake()
            case 90..<94: clock.advance(by: .seconds(number(1..<20)))
            default: await pump(limit: .max)
            }
        }

        private func changeDoor() {
            let id = "d\(number(0..<12))"
            if number(0..<5) == 0 { return gateway.set(id, nil) }
            var door = Device(id: id, name: "name \(number(0..<4))")
            door.propertyId = "p\(number(0..<3))"
            gateway.set(id, door)
        }

        private func appendRecord() {
            let log = "l\(number(0..<3))"
            let seq = sequences[log, default: 0]
            sequences[log] = seq + 1
            time += Int64(number(0..<5000))
            gateway.append(.record(log, seq, at: time))
        }

        func pump(limit: Int) async {
            let cut = number(1..<30)
            await gateway.pump(limit: limit) { bytes in
                stride(from: 0, to: bytes.count, by: cut).map { Array(bytes[$0..<min($0 + cut, bytes.count)]) }
            }
        }

        /// Lets everything that is due happen until the condition holds.
        func settle(_ what: String, until isMet: () async -> Bool) async {
            for _ in 0..<20_000 {
                await pump(limit: .max)
                if await isMet() { return }
                if !gateway.isConnected { clock.advance(by: .milliseconds(500)) }
                await Task.yield()
            }
            Issue.record("\(what) did not settle")
        }
    }

    @Test(arguments: 0..<UInt64(4)) func theLocalCopyBecomesWhatTheGatewayHas(_ seed: UInt64) async throws {
        let world = World(seed: seed)
        for _ in 0..<15 * TestRounds.factor {
            for _ in 0..<10 { try await world.step() }
            let (doors, handles) = (world.gateway.doors, world.handles)
            await world.settle("seed \(seed)") {
                for handle in handles {
                    let expected = doors.values.filter {
                        ModelGateway.selects(StreamSubscription(handle.query.need), $0)
                    }.sorted { $0.id < $1.id }
                    if await handle.objects() != expected { return false }
                }
                return true
            }
        }
        for handle in world.handles { await handle.cancel() }
        #expect(await world.live.nameCount == 0)
        #expect(world.gateway.counts.openings > 3)
    }

    @Test(arguments: 0..<UInt64(4)) func eachRecordIsReceivedOnceAndInOrder(_ seed: UInt64) async throws {
        let world = World(seed: 1000 + seed)
        world.handles = [await world.live.subscription(.all)]
        var follower = Follower(world.live.follow(after: RecordCursor()))
        var received: [FollowedRecord] = []
        for _ in 0..<12 * TestRounds.factor {
            for _ in 0..<10 { try await world.step() }
            let missing = world.gateway.records.count - received.count
            if missing > 0 {
                let pumping = Task { [gateway = world.gateway, clock = world.clock] in
                    while !Task.isCancelled {
                        await gateway.pump()
                        if !gateway.isConnected { clock.advance(by: .milliseconds(500)) }
                        await Task.yield()
                    }
                }
                received += try await follower.next(missing)
                pumping.cancel()
                await pumping.value
            }
            // The app is restarted: it follows on from the text of its last position.
            if world.number(0..<3) == 0 {
                follower.stop()
                let cursor = received.last.flatMap { RecordCursor("\($0.cursor)") } ?? RecordCursor()
                follower = Follower(world.live.follow(after: cursor))
            }
        }
        var next: [String: UInt64] = [:]
        for record in received.map(\.record) {
            #expect(record.seq == next[record.logId ?? "", default: 0], "\(record.id)")
            next[record.logId ?? ""] = (record.seq ?? 0) + 1
        }
        #expect(received.count == world.gateway.records.count)
        follower.stop()
    }
}
