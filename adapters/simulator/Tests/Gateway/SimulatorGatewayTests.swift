import AdapterSimulator
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

/// Locks that repeat, reorder and falsify their reports, with the whole gateway. Each command has one outcome, and is confirmed
/// only if the bolt is in the requested position.
@Suite struct SimulatorGatewayTests {
    private struct EndedCommand: Sendable {
        let command: Command
        /// The state of the lock when the command ended.
        let condition: SimulatedCondition?

        /// Whether the bolt rests in the requested position. A latch may have sprung back since it was pulled.
        var isInRequestedPosition: Bool {
            guard let condition, !condition.isStuck else { return false }
            switch command.operation {
            case .lock: return condition.position == .locked
            // A held latch also withdraws the bolt.
            case .unlock: return condition.position == .unlocked || condition.position == .unlatched
            default: return condition.position == .unlatched || condition.position == .unlocked
            }
        }
    }

    /// Plays a day of one tenant's commands, one after the other, at random times.
    ///
    /// - Parameter turnsByHand: whether the bolt is also turned by hand between the commands, so that outdated reports are mostly
    ///   wrong.
    private static func day(
        seed: UInt64, address: [String: JSONValue], events: [SimulatorEvent] = [], turnsByHand: Bool = false
    ) throws -> (ended: [EndedCommand], records: [RecordBody]) {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run {
            let store = InMemoryStore()
            let house = try await SimulatedHouse(address: address, seed: seed, clock: clock, executor: executor, store: store)
            let lock = try #require(house.locks["Flat 1"])
            for event in events { try house.adapter.inject(event, into: lock) }
            var random = SeededGenerator(seed: seed)
            var ended: [EndedCommand] = []
            for _ in 0..<40 {
                let operation = LockOperation.movements[Int.random(in: 0..<3, using: &random)]
                let timeout = Duration.milliseconds(Int64.random(in: 150...12_000, using: &random))
                if let command = await house.run(operation, on: lock, by: "Ada", timeout: timeout) {
                    ended.append(EndedCommand(command: command, condition: house.adapter.condition(of: lock)))
                }
                if turnsByHand, Bool.random(using: &random) { try house.adapter.inject(.thumbTurn, into: lock) }
                let pause = Duration.milliseconds(Int64.random(in: 0...9000, using: &random))
                try await clock.sleep(until: clock.monotonicNow().advanced(by: pause))
            }
            await house.control.stop()
            return (ended, store.log(.portfolio(house.portfolio)).map(\.body))
        }
    }

    private static func outcomes(_ records: [RecordBody], of command: CommandID) -> Int {
        records.count { $0.kind == .commandOutcome && $0.commandID == command }
    }

    @Test(
        "A repeated, late or overtaken report never confirms a command that the lock did not execute",
        arguments: 0..<40 as Range<UInt64>, [false, true])
    func disorder(seed: UInt64, turnsByHand: Bool) throws {
        let address: [String: JSONValue] = [
            "duplicateRate": .number(0.5), "disorderRate": .number(0.5), "disorderMs": .integer(20_000), "jamRate": .number(0.2),
            "lostConfirmationRate": .number(0.2), "lateConfirmationRate": .number(0.2), "jitterMs": .integer(3000),
        ]
        let (ended, records) = try Self.day(seed: seed, address: address, turnsByHand: turnsByHand)
        #expect(ended.count == 40)
        for end in ended {
            #expect(Self.outcomes(records, of: end.command.id) == 1)
            if end.command.state == .confirmed { #expect(end.isInRequestedPosition) }
        }
        let states = Set(ended.map(\.command.state))
        #expect(states.isSuperset(of: [.confirmed, .timedOut]))
    }

    @Test("Unnumbered reports can be taken for new ones, but each command has one outcome", arguments: 0..<10 as Range<UInt64>)
    func unnumbered(seed: UInt64) throws {
        let address: [String: JSONValue] = [
            "duplicateRate": .number(0.5), "disorderRate": .number(0.5), "disorderMs": .integer(20_000),
            "reportsNumbered": .bool(false),
        ]
        let (ended, records) = try Self.day(seed: seed, address: address)
        for end in ended { #expect(Self.outcomes(records, of: end.command.id) == 1) }
    }

    @Test("A lock that reports the opposite state confirms no command", arguments: 0..<10 as Range<UInt64>)
    func wrongState(seed: UInt64) throws {
        let (drawn, _) = try Self.day(seed: seed, address: ["wrongStateRate": .integer(1), "duplicateRate": .number(0.5)])
        #expect(drawn.allSatisfy { $0.command.state == .timedOut })
        let (switched, _) = try Self.day(seed: seed, address: [:], events: [.wrongState])
        #expect(switched.allSatisfy { $0.command.state == .timedOut })
    }

    @Test("With every report delivered twice, each event is recorded once")
    func duplicates() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let events = try executor.run {
            let store = InMemoryStore()
            let house = try await SimulatedHouse(address: [:], seed: 1, clock: clock, executor: executor, store: store)
            let lock = try #require(house.locks["Flat 1"])
            for event in [.duplicateReports, .thumbUnlock, .doorOpen, .tamper, .doorClose, .thumbLock] as [SimulatorEvent] {
                try house.adapter.inject(event, into: lock)
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            }
            await house.control.stop()
            return store.log(.portfolio(house.portfolio)).map(\.body).compactMap(\.event)
        }
        #expect(events == [.unlocked, .doorOpened, .tamper, .doorClosed, .locked])
    }

    @Test("Events that a lock stored while it was offline are recorded once when it is back")
    func missed() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let (events, status) = try executor.run {
            let store = InMemoryStore()
            let house = try await SimulatedHouse(
                address: ["offlineMemory": .integer(10)], seed: 1, clock: clock, executor: executor, store: store)
            let lock = try #require(house.locks["Flat 1"])
            for event in [.offline, .thumbUnlock, .doorOpen, .doorClose, .thumbLock, .thumbUnlock, .online] as [SimulatorEvent] {
                try house.adapter.inject(event, into: lock)
            }
            await house.control.stop()
            let events = store.log(.portfolio(house.portfolio)).map(\.body).compactMap(\.event)
            return (events, house.control.devices.status(of: lock))
        }
        #expect(events == [.offline, .online, .unlocked, .doorOpened, .doorClosed, .locked, .unlocked])
        #expect(status.state == .unlocked)
        #expect(status.doorState == .closed)
    }
}
