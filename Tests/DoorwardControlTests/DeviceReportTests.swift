import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Metrics
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardTenancy

/// Reports that locks send without a command: they change the status, and are recorded as events.
@Suite struct DeviceReportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let before: [LockReport.Fact]
        let fact: LockReport.Fact
        let event: RecordEvent?
        var testDescription: String { name }
    }

    private static func live(_ state: LockState, _ method: EventMethod? = nil) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: method, operatorName: nil)
    }

    static let rows = [
        Row(name: "the first state of a lock is not an event", before: [], fact: live(.locked), event: nil),
        Row(name: "a thumb turn", before: [live(.locked)], fact: live(.unlocked, .manual), event: .unlocked),
        Row(name: "the lock locks itself", before: [live(.unlocked)], fact: live(.locked, .auto), event: .locked),
        Row(name: "the latch is pulled", before: [live(.locked)], fact: live(.unlatched), event: .unlatched),
        Row(name: "the lock jams", before: [live(.unlocked)], fact: live(.jammed), event: .jammed),
        Row(name: "the same state again", before: [live(.locked)], fact: live(.locked), event: nil),
        Row(name: "an intermediate state", before: [live(.locked)], fact: live(.unlocking), event: nil),
        Row(
            name: "a retained state is not an event", before: [live(.locked)],
            fact: .state(.unlocked, quality: .retained, method: nil, operatorName: nil), event: nil),
        Row(name: "the door opens", before: [.door(.closed)], fact: .door(.open), event: .doorOpened),
        Row(name: "the door closes", before: [.door(.open)], fact: .door(.closed), event: .doorClosed),
        Row(name: "the first state of the door is not an event", before: [], fact: .door(.open), event: nil),
        Row(name: "the battery gets low", before: [], fact: .battery(level: 9, low: true), event: .batteryLow),
        Row(
            name: "the battery is still low", before: [.battery(level: 9, low: true)], fact: .battery(level: 8, low: true),
            event: nil),
        Row(name: "the lock becomes unavailable", before: [.availability(true)], fact: .availability(false), event: .offline),
        Row(name: "the lock becomes available", before: [.availability(false)], fact: .availability(true), event: .online),
        Row(name: "the availability becomes unknown", before: [.availability(true)], fact: .availability(nil), event: nil),
        Row(name: "tamper", before: [], fact: .event(.tamper, method: nil, operatorName: nil), event: .tamper),
        Row(name: "a refusal without a command", before: [], fact: .refusal(.busy), event: nil),
    ]

    @Test("a change that no command caused is recorded as an event in the portfolio's log", arguments: rows)
    func events(row: Row) async throws {
        let without = try await Self.events(after: row.before)
        let with = try await Self.events(after: row.before + [row.fact])
        #expect(with == without + (row.event.map { [$0] } ?? []))
    }

    /// Returns the events in the log of a new house after its door has sent these reports.
    private static func events(after facts: [LockReport.Fact]) async throws -> [RecordEvent] {
        let house = try await House()
        for fact in facts { house.adapter.report(fact, from: house.ids.door) }
        await house.control.stop()
        return house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent }.compactMap(\.event)
    }

    @Test("a state that repeats an event is not recorded again, except as the late confirmation of a command")
    func repeated() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let door = house.ids.door
            house.adapter.report(.locked, from: door)
            house.adapter.report(.event(.unlocked, method: .keypad, operatorName: "slot 3"), from: door)
            house.adapter.report(Self.live(.unlocked), isRepeat: true, from: door)
            #expect(house.control.devices.status(of: door).state == .unlocked)
            house.adapter.report(.locked, from: door)
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == .timedOut)
            house.adapter.report(Self.live(.unlocked), isRepeat: true, from: door)
            await house.control.stop()
            let events = house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent }
            #expect(events.map(\.event) == [.unlocked, .locked, .unlocked])
            #expect(events.map(\.method) == [.keypad, nil, nil])
            #expect(events.map(\.commandID) == [nil, nil, command.id])
        }
    }

    @Test("a command that was delivered late is recorded as an event with its id, and the state is stale until the next report")
    func deliveredLate() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let door = house.ids.door
            let (first, second) = (try await house.run(by: house.ids.tenant), try await house.run(by: house.ids.tenant))
            house.adapter.report(.locked, from: door)
            for command in [first.id, second.id, CommandID(high: 9, low: 9)] {
                house.adapter.report(.deliveredLate(command), from: door)
            }
            let status = house.control.devices.status(of: door)
            #expect(status.state == .locked && status.stateQuality == .stale)
            house.adapter.report(.locked, from: door)
            #expect(house.control.devices.status(of: door).stateQuality == .confirmed)
            await house.control.stop()
            let events = house.portfolioLog.map(\.body).filter { $0.event == .commandDeliveredLate }
            #expect(events.map(\.commandID) == [first.id, second.id, nil], "an unknown command id is not recorded")
            #expect(events.allSatisfy { $0.kind == .deviceEvent && $0.actor.kind == .device })
            #expect(house.records(of: first.id).count { $0.kind == .commandOutcome } == 1)
        }
    }

    @Test("an operator name in a report is stored as a personal value of the event")
    func operatorName() async throws {
        let house = try await House()
        house.adapter.report(.locked, from: house.ids.door)
        house.adapter.report(
            .state(.unlocked, quality: .confirmed, method: .keypad, operatorName: "Cleaner"), from: house.ids.door)
        await house.control.stop()
        let event = try #require(house.portfolioLog.last?.body)
        #expect(event.actor == RecordActor(kind: .device, id: house.ids.door.description, name: "Cleaner"))
        #expect(event.method == .keypad)
        #expect(event.stateAfter == .unlocked)
        #expect(event.device?.propertyID == house.ids.property)
    }

    @Test("the status contains the last reported state and its quality")
    func status() async throws {
        let house = try await House()
        let unknown = house.control.devices.status(of: house.ids.door)
        #expect(unknown.state == .unknown)
        #expect(unknown.stateQuality == .stale)
        house.adapter.report(.state(.locked, quality: .retained, method: nil, operatorName: nil), from: house.ids.door)
        #expect(house.control.devices.status(of: house.ids.door).stateQuality == .retained)
        #expect(house.control.devices.status(of: house.ids.door).lastSeen == nil, "a retained state is not a sign of life")
        house.clock.advance(by: .seconds(5))
        house.adapter.report(.jammed, from: house.ids.door)
        let jammed = house.control.devices.status(of: house.ids.door)
        #expect(jammed.state == .jammed)
        #expect(jammed.faults == ["jammed"])
        #expect(jammed.stateAt == house.clock.now())
        #expect(jammed.lastSeen == house.clock.now())
        house.adapter.report(.locked, from: house.ids.door)
        #expect(house.control.devices.status(of: house.ids.door).faults.isEmpty)
        house.adapter.report(.battery(level: 40, low: nil), from: house.ids.door)
        house.adapter.report(.battery(level: nil, low: true), from: house.ids.door)
        let battery = house.control.devices.status(of: house.ids.door)
        #expect(battery.batteryLevel == 40)
        #expect(battery.batteryLow == true)
        await house.control.stop()
    }

    @Test("the faults are the last list that the adapter reported, and a jam until the bolt reports another state")
    func faults() async throws {
        let house = try await House()
        let said: [(LockReport.Fact, [String])] = [
            (.faults(["tamper", "notFullyLocked"]), ["notFullyLocked", "tamper"]),
            (Self.live(.jammed), ["jammed", "notFullyLocked", "tamper"]),
            (.faults(["tamper"]), ["jammed", "tamper"]),
            (Self.live(.locked), ["tamper"]),
            (.faults([]), []),
            // Only a state report adds or removes a jam.
            (.faults(["jammed"]), []),
        ]
        for (fact, faults) in said {
            house.adapter.report(fact, from: house.ids.door)
            #expect(house.control.devices.status(of: house.ids.door).faults == faults, "\(fact)")
        }
        let seen = house.control.devices.status(of: house.ids.door).lastSeen
        house.clock.advance(by: .seconds(5))
        house.adapter.report(.faults(["gone"]), from: house.ids.door)
        #expect(house.control.devices.status(of: house.ids.door).lastSeen == seen, "a report of faults is not a sign of life")
        await house.control.stop()
    }

    @Test("a retained state does not replace a live one as long as the lock has stayed available since")
    func retained() async throws {
        let house = try await House()
        let kept = LockReport.Fact.state(.unlocked, quality: .retained, method: nil, operatorName: nil)
        house.adapter.report(.jammed, from: house.ids.door)
        house.adapter.report(kept, from: house.ids.door)
        let live = house.control.devices.status(of: house.ids.door)
        #expect(live.state == .jammed)
        #expect(live.stateQuality == .confirmed)
        #expect(live.faults == ["jammed"])
        house.adapter.report(.availability(nil), from: house.ids.door)
        house.adapter.report(kept, from: house.ids.door)
        let after = house.control.devices.status(of: house.ids.door)
        #expect(after.state == .unlocked)
        #expect(after.stateQuality == .retained)
        await house.control.stop()
    }

    @Test("a report of a lock that is not attached is dropped")
    func unknownLock() async throws {
        let house = try await House()
        let reports = DeviceReports(house.control.kernel, devices: house.control.devices)
        let nobody = DeviceID(high: 9, low: 9)
        reports.receive(LockReport(deviceID: nobody, .door(.open), after: nil))
        #expect(house.control.devices.status(of: nobody) == DeviceStatus())
    }
}
