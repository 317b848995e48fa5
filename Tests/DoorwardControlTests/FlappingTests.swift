import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// A lock whose availability changes constantly does not fill the log, and its last availability is always recorded.
@Suite struct FlappingTests {
    /// Returns the availability records in the portfolio's log after `body`.
    private static func records(_ body: @escaping @Sendable (House) async throws -> Void) throws -> [RecordBody] {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        return try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.adapter.report(.availability(true), from: house.ids.door)
            try await body(house)
            await house.control.stop()
            return house.portfolioLog.map(\.body).filter { $0.event == .online || $0.event == .offline }
        }
    }

    private static func wait(_ house: House, _ duration: Duration) async throws {
        try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: duration))
    }

    private static func flap(_ house: House, times: Int, every pause: Duration) async throws {
        for _ in 0..<times {
            for isOnline in [false, true] {
                house.adapter.report(.availability(isOnline), from: house.ids.door)
                try await wait(house, pause)
            }
        }
    }

    /// Returns the number of changes in the records, including changes that were aggregated into one record.
    private static func changes(_ records: [RecordBody]) -> Int {
        records.reduce(0) { sum, record in
            if case .integer(let count) = record.details["changes"] { return sum + Int(count) }
            return sum + 1
        }
    }

    @Test("a lock that is unavailable once or twice is recorded immediately, with one record for each change")
    func seldom() throws {
        let records = try Self.records { house in try await Self.flap(house, times: 2, every: .seconds(1)) }
        #expect(records.map(\.event) == [.offline, .online, .offline, .online])
        #expect(records.allSatisfy { $0.details.isEmpty })
    }

    @Test("a lock that changes fifty times a second for five minutes makes at most ten records, which count all changes")
    func flapping() throws {
        let records = try Self.records { house in
            try await Self.flap(house, times: 7500, every: .milliseconds(20))
            try await Self.wait(house, .seconds(120))
        }
        #expect(records.count <= 4 + 6)
        #expect(Self.changes(records) == 15_000)
        #expect(records.last?.event == .online)
    }

    @Test("the last availability is recorded, even if its change exceeds the limit", arguments: [4, 5, 6, 7])
    func lastState(changes: Int) throws {
        let records = try Self.records { house in
            for index in 0..<changes {
                house.adapter.report(.availability(index.isMultiple(of: 2) ? false : true), from: house.ids.door)
            }
            try await Self.wait(house, .seconds(61))
        }
        #expect(records.last?.event == (changes.isMultiple(of: 2) ? .online : .offline))
        #expect(Self.changes(records) == changes)
    }

    @Test("a gateway that stops records the changes that it has counted")
    func stopping() throws {
        let records = try Self.records { house in
            for index in 0..<7 {
                house.adapter.report(.availability(index.isMultiple(of: 2) ? false : true), from: house.ids.door)
            }
        }
        #expect(records.last?.event == .offline)
        #expect(Self.changes(records) == 7)
    }

    @Test("after a quiet period changes are recorded immediately again, and a flapping lock does not delay others")
    func othersAndLater() throws {
        let records = try Self.records { house in
            try await Self.flap(house, times: 10, every: .milliseconds(1))
            house.adapter.report(.availability(true), from: house.ids.frontDoor)
            house.adapter.report(.availability(false), from: house.ids.frontDoor)
            try await Self.wait(house, .seconds(200))
            house.adapter.report(.availability(false), from: house.ids.door)
            try await Self.wait(house, .milliseconds(1))
        }
        let front = records.filter { $0.device?.deviceName == "Front door" }
        #expect(front.count == 1 && front[0].details.isEmpty)
        #expect(records.last?.event == .offline && records.last?.details.isEmpty == true)
    }
}
