import AdapterSimulator
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Foundation
import GRDB
import Logging
import Testing

/// Thirty days of a house with people and faults, through the whole gateway. The same seed gives the same result.
@Suite(.serialized) struct MonthTests {
    private static let scenario = """
        seed: 11
        days: 30
        locks: [Front door, Flat 1, Flat 2, Flat 3]
        residents:
          - {name: Ada, door: Flat 1, frontDoor: Front door, leaves: "07:40", returns: "17:30", forgets: 0.2}
          - {name: Ben, door: Flat 2, frontDoor: Front door, leaves: "09:00", returns: "19:45", sleeps: "00:30", opens: keypad}
          - {name: Cleo, door: Flat 3, frontDoor: Front door, workdays: "mon,tue,wed", spread: 1h}
        visitors:
          - {name: Max, door: Flat 2, frontDoor: Front door, days: "fri", comes: "10:00", stays: 1h 30m}
        events:
          - {every: day 03:00, spread: 11h, chance: 0.1, lock: all, do: jam, for: 2h}
          - {every: day 12:00, spread: 11h, chance: 0.2, lock: all, do: offline, for: 40m}
          - {every: weekends 15:00, spread: 2h, lock: Front door, do: tamper}
          - {every: 6h, lock: Flat 2, do: wrong_code}
          - {at: 20d 12:00, lock: Flat 3, do: low_battery}
          - {every: 31m, chance: 0.3, lock: Front door, command: unlock, by: Ada}
        """

    private static let address: [String: JSONValue] = [
        "autoRelockSeconds": .integer(45), "batteryPerDay": .number(0.4), "batteryPerMovement": .number(0.02),
        "jitterMs": .integer(900), "jamRate": .number(0.01), "lostConfirmationRate": .number(0.02),
        "lateConfirmationRate": .number(0.02), "duplicateRate": .number(0.05), "disorderRate": .number(0.05),
        "wrongStateRate": .number(0.01), "offlineMemory": .integer(50), "keypadSlots": .string("Ben"),
    ]

    /// Plays the month and closes the store.
    private static func play(on store: any GatewayStore, clock: VirtualClock, seed: UInt64) throws -> PortfolioID {
        let executor = SeededExecutor(seed: seed, clock: clock)
        var scenario = try Scenario(yaml: scenario, file: "month.yaml")
        scenario.seed ^= seed
        return try executor.run(stepLimit: 5_000_000) { [scenario] in
            let house = try await SimulatedHouse(address: address, seed: seed, clock: clock, executor: executor, store: store)
            let player = try ScenarioPlayer(scenario, adapter: house.adapter, clock: clock, locks: house.locks) { command in
                _ = await house.run(command.operation, on: command.lock, by: command.person)
            }
            await player.run()
            await house.control.stop()
            return house.portfolio
        }
    }

    private static func inMemory(seed: UInt64) throws -> [AccessRecord] {
        let store = InMemoryStore()
        let portfolio = try play(on: store, clock: VirtualClock(), seed: seed)
        return [LogID.gateway, .portfolio(portfolio)].flatMap { store.log($0) }
    }

    /// Plays the month and returns the final contents of the database: every record's bytes and hash, and every log's frontier.
    private static func onDisk(seed: UInt64) throws -> [Data] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-month-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, clock) = (folder.appending(path: "doorward.db").path, VirtualClock())
        let store = try SQLiteStore.open(
            path: path, clock: clock, random: SeededGenerator(seed: ~seed),
            logger: Logger(label: "month") { _ in SwiftLogNoOpLogHandler() })
        _ = try play(on: BlockingStore(store), clock: clock, seed: seed)
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { db in
            try Data.fetchAll(db, sql: "SELECT bytes FROM entries ORDER BY position")
                + Data.fetchAll(db, sql: "SELECT leaf_hash FROM entries ORDER BY position")
                + Data.fetchAll(db, sql: "SELECT frontier FROM logs ORDER BY key")
        }
    }

    @Test("In memory the same seed gives the same records, and another seed gives others")
    func memory() throws {
        let month = try Self.inMemory(seed: 1)
        #expect(try Self.inMemory(seed: 1) == month)
        #expect(try Self.inMemory(seed: 2) != month)
        let kinds = Set(month.map(\.body.kind))
        #expect(kinds.isSuperset(of: [.commandIntent, .commandOutcome, .deviceEvent, .gateway]))
        let events = Set(month.compactMap(\.body.event))
        #expect(
            events.isSuperset(of: [
                .locked, .unlocked, .jammed, .doorOpened, .doorClosed, .tamper, .offline, .online, .batteryLow, .attemptFailed,
            ]))
        let ends = Set(month.compactMap(\.body.outcome))
        #expect(ends.isSuperset(of: [.confirmed, .failed, .timedOut]))
        #expect(month.count > 2000)
    }

    @Test("On disk the same seed gives the same records and frontiers, byte for byte, and another seed gives others")
    func disk() throws {
        let month = try Self.onDisk(seed: 1)
        #expect(try Self.onDisk(seed: 1) == month)
        #expect(try Self.onDisk(seed: 2) != month)
        #expect(month.count > 4000)
    }
}
