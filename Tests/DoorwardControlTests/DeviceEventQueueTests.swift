import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks

/// The queue of events to be written: bounded for each device, and every lost event is counted.
@Suite struct DeviceEventQueueTests {
    private static let chatterer = DeviceID(high: 1, low: 1)
    private static let quiet = DeviceID(high: 1, low: 2)

    private static func event(_ device: DeviceID, _ number: UInt64 = 0) -> RecordBody {
        RecordBody(
            log: .gateway, id: RecordID(high: 7, low: number), at: Timestamp(milliseconds: 0), kind: .deviceEvent,
            actor: RecordActor(kind: .device), source: .device, device: DeviceSnapshot(deviceID: device), event: .tamper)
    }

    @Test("a device that sends too many events loses only its own, and its next event contains the number of lost events")
    func bound() async throws {
        let queue = DeviceEventQueue()
        for number in 0..<100 { queue.add(Self.event(Self.chatterer, UInt64(number)), of: Self.chatterer) }
        queue.add(Self.event(Self.quiet), of: Self.quiet)
        var taken: [RecordBody] = []
        while taken.count < DeviceEventQueue.maxPerDevice + 1 { taken += try #require(await queue.next()) }
        #expect(taken.count { $0.device?.deviceID == Self.chatterer } == DeviceEventQueue.maxPerDevice)
        #expect(taken.allSatisfy { $0.details.isEmpty })
        queue.add(Self.event(Self.quiet), of: Self.quiet)
        queue.add(Self.event(Self.chatterer), of: Self.chatterer)
        let next = try #require(await queue.next())
        #expect(next.first?.details.isEmpty == true)
        #expect(next.last?.details["eventsLost"] == .integer(Int64(100 - DeviceEventQueue.maxPerDevice)))
    }

    @Test("the queue is bounded over all devices together, and each device's next event contains its number of lost events")
    func total() async throws {
        let queue = DeviceEventQueue()
        let devices = (1...400).map { DeviceID(high: 2, low: UInt64($0)) }
        var refused = 0
        for device in devices {
            for number in 0..<64 where !queue.add(Self.event(device, UInt64(number)), of: device) { refused += 1 }
        }
        #expect(refused >= 400 * 64 - 20_000)
        var taken = 0
        while taken < 400 * 64 - refused { taken += try #require(await queue.next()).count }
        var told = 0
        for device in devices {
            queue.add(Self.event(device), of: device)
            let event = try #require(await queue.next()).first
            if case .integer(let lost) = event?.details["eventsLost"] { told += Int(lost) }
        }
        #expect(told == refused)
    }

    @Test("events that could not be written are added to the number of lost events")
    func losing() async throws {
        let queue = DeviceEventQueue()
        for _ in 0..<2 {
            queue.add(Self.event(Self.quiet), of: Self.quiet)
            queue.lose(try #require(await queue.next()))
        }
        queue.add(Self.event(Self.quiet), of: Self.quiet)
        #expect(try #require(await queue.next()).first?.details["eventsLost"] == .integer(2))
    }

    @Test("events keep their order, a waiting reader wakes, even if it is cancelled, and a finished queue accepts no events")
    func order() async throws {
        let queue = DeviceEventQueue()
        let reader = Task { () -> [UInt64] in
            var seen: [UInt64] = []
            while let events = await queue.next() { seen += events.map(\.id.low) }
            return seen
        }
        reader.cancel()
        for number in 0..<50 {
            queue.add(Self.event(Self.quiet, UInt64(number)), of: Self.quiet)
            await Task.yield()
        }
        queue.finish()
        queue.add(Self.event(Self.quiet, 99), of: Self.quiet)
        #expect(await reader.value == Array(0..<50))
    }

    @Test("an event that arrives while the store fails is written once the store is writable again")
    func survivesAFailingStore() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.adapter.report(.locked, from: house.ids.door)
            house.store.failNext(.failed("disk full"))
            house.adapter.report(.unlocked, method: .manual, from: house.ids.door)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(5)))
            #expect(house.portfolioLog.isEmpty)
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(60)))
            #expect(house.portfolioLog.map(\.body.event) == [.unlocked])
        }
    }
}
