import DoorwardAdapterKit
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardControl

/// What a lock reports after its command has ended counts as the answer to it only while it can be one.
@Suite struct LateAnswerTests {
    /// The command ids of the events that the door's log has after an unlock that timed out and what `body` does then.
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

    @Test("a lock that answers within a minute after the deadline has answered its command")
    func soon() throws {
        let (command, links) = try Self.links { house in
            try await Self.wait(house, .seconds(59))
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == [command])
    }

    @Test("a door that is opened hours later is no answer to a command that timed out")
    func hoursLater() throws {
        for duration in [Duration.seconds(61), .seconds(3 * 3600)] {
            let (_, links) = try Self.links { house in
                try await Self.wait(house, duration)
                house.adapter.report(.unlocked, from: house.ids.door)
            }
            #expect(links == [nil])
        }
    }

    @Test("a lock that reports that it is still locked has not done what it was told; what comes next is something else")
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
        #expect(onTheWay == [command], "on its way, or from before, is no contradiction")
    }

    @Test(
        "what a person did at the door is no answer to a command, and no later report of it is one",
        arguments: EventMethod.allCases)
    func atTheDoor(method: EventMethod) throws {
        let (command, links) = try Self.links { house in
            house.adapter.report(.unlocked, method: method, from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == ([.remote, .unknown].contains(method) ? [command] : [nil]))
    }

    @Test("whom the lock names has done it, not the command", arguments: [EventMethod.remote, nil])
    func operatorNamed(method: EventMethod?) throws {
        let (_, links) = try Self.links { house in
            house.adapter.report(
                .state(.unlocked, quality: .confirmed, method: method, operatorName: "Cleaner"), from: house.ids.door)
            house.adapter.report(.unlocked, from: house.ids.door)
        }
        #expect(links == [nil])
    }

    @Test("a state that repeats what an event has told of a person is no answer either")
    func eventBefore() throws {
        let (_, links) = try Self.links { house in
            house.adapter.report(.event(.unlocked, method: .keypad, operatorName: "slot 3"), from: house.ids.door)
            house.adapter.report(
                .state(.unlocked, quality: .confirmed, method: nil, operatorName: nil), isRepeat: true, from: house.ids.door)
        }
        #expect(links == [nil])
    }

    @Test("after a crash an open command waits no longer for its answer than one that timed out")
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
