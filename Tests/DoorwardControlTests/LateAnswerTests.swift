import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// A report that arrives after a command has ended is linked to the command only while the report
/// can be the result of the command.
@Suite struct LateAnswerTests {
    /// Returns the id of an unlock that timed out, and the command ids of the `unlocked` events in the log after `body`.
    private static func links(_ body: @escaping @Sendable (House) async throws -> Void) throws -> (CommandID, [CommandID?]) {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        return try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            house.adapter.report(.locked, from: house.ids.door)
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == .timedOut)
            try await body(house)
            await house.control.stop()
            let events = house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent && $0.event == .unlocked }
            return (command.id, events.map(\.commandID))
        }
    }

    private static func wait(_ house: House, _ duration: Duration) async throws {
        try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: duration))
    }

    @Test("a lock that reports the target state within a minute after the deadline confirms its command late")
    func soon() throws {
        let (command, links) = try Self.links { house in
            try await Self.wait(house, .seconds(59))
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == [command])
    }

    @Test("an unlock more than a minute after the deadline is not linked to the command")
    func hoursLater() throws {
        for duration in [Duration.seconds(61), .seconds(3 * 3600)] {
            let (_, links) = try Self.links { house in
                try await Self.wait(house, duration)
                house.adapter.report(.unlocked, from: house.ids.door)
            }
            #expect(links == [nil])
        }
    }

    @Test("a report of the opposite state ends the wait: a later report is not linked to the command")
    func contradiction() throws {
        let (_, links) = try Self.links { house in
            house.adapter.report(.locked, from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == [nil])
        let (command, onTheWay) = try Self.links { house in
            house.adapter.report(.unlocking, from: house.ids.door)
            house.adapter.report(.state(.locked, quality: .retained, method: nil, operatorName: nil), from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(onTheWay == [command], "an intermediate or retained state does not end the wait")
    }

    @Test(
        "an operation at the door is not linked to a command, and neither is a later report of its state",
        arguments: EventMethod.allCases)
    func atTheDoor(method: EventMethod) throws {
        let (command, links) = try Self.links { house in
            house.adapter.report(.unlocked, method: method, from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == ([.remote, .unknown].contains(method) ? [command] : [nil]))
    }

    @Test("a report that names an operator is not linked to the command", arguments: [EventMethod.remote, nil])
    func operatorNamed(method: EventMethod?) throws {
        let (_, links) = try Self.links { house in
            house.adapter.report(
                .state(.unlocked, quality: .confirmed, method: method, operatorName: "Cleaner"), from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == [nil])
    }

    @Test("a state report that repeats an event with a known operator is not linked to the command either")
    func eventBefore() throws {
        let (_, links) = try Self.links { house in
            house.adapter.report(.event(.unlocked, method: .keypad, operatorName: "slot 3"), from: house.ids.door)
            house.adapter.report(
                .state(.unlocked, quality: .confirmed, method: nil, operatorName: nil), isRepeat: true, from: house.ids.door)
        }
        #expect(links == [nil])
    }

    @Test("after a crash, a command in flight can be confirmed late for no longer than one that timed out")
    func afterACrash() throws {
        for (pause, isLinked) in [(Duration.seconds(30), true), (.seconds(71), false), (.seconds(7200), false)] {
            let clock = VirtualClock()
            let executor = SeededExecutor(seed: 1, clock: clock)
            try executor.run {
                let house = try await House(clock: clock, executor: executor, behaviour: .silent)
                let sent = try await house.begin(by: house.ids.tenant)
                let store = house.store.reopened()
                try await Self.wait(house, pause)
                let restarted = try await House(clock: clock, executor: executor, store: store)
                restarted.adapter.report(.locked, method: .manual, from: house.ids.frontDoor)
                restarted.adapter.report(.unlocked, from: house.ids.door)
                await restarted.control.stop()
                let events = restarted.store.log(.portfolio(house.ids.portfolio)).map(\.body).filter {
                    $0.kind == .deviceEvent && $0.commandID == sent.accepted.id
                }
                #expect(events.isEmpty != isLinked)
            }
        }
    }
}
