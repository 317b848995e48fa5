import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

/// All possible outcomes of a command: its state, its detail, and whether it was sent.
@Suite struct CommandEndTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let behaviour: ScriptedAdapter.Behaviour
        let state: CommandState
        let detail: String?
        let sent: Bool
        var testDescription: String { name }
    }

    static let rows =
        [
            Row(name: "confirmed at once", behaviour: .confirmAtOnce, state: .confirmed, detail: nil, sent: true),
            Row(name: "confirmed later", behaviour: .confirm(after: .seconds(2)), state: .confirmed, detail: nil, sent: true),
            Row(name: "silent lock", behaviour: .silent, state: .timedOut, detail: nil, sent: true),
            Row(name: "confirmed too late", behaviour: .confirm(after: .seconds(11)), state: .timedOut, detail: nil, sent: true),
            Row(name: "jam", behaviour: .jam(after: .seconds(1)), state: .failed, detail: "jammed", sent: true),
            Row(name: "known offline", behaviour: .fail(.offline), state: .failed, detail: "device_offline", sent: false),
            Row(name: "transport full", behaviour: .fail(.transportBusy), state: .failed, detail: "transport", sent: false),
            Row(name: "unsupported", behaviour: .fail(.unsupported), state: .failed, detail: "unsupported", sent: false),
            Row(name: "not attached to adapter", behaviour: .fail(.notAttached), state: .failed, detail: "other", sent: false),
        ]
        + LockRefusal.allCases.map {
            Row(
                name: "refused: \($0)", behaviour: .refuse($0, after: .seconds(1)), state: .failed, detail: $0.rawValue,
                sent: true)
        }

    @Test("a command ends with the expected state and detail, and its records have the same", arguments: rows)
    func ends(row: Row) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: row.behaviour)
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == row.state)
            #expect(command.outcomeDetail == row.detail)
            #expect(command.sent == row.sent)
            #expect(command.completedAt != nil)
            #expect((command.dispatchedAt != nil) == row.sent)
            #expect(house.adapter.sentCommands.count == (row.sent ? 1 : 0))
            let records = house.records(of: command.id)
            #expect(records.map(\.kind) == [.commandIntent, .commandOutcome])
            #expect(records.last?.outcome == row.state)
            #expect(records.last?.outcomeDetail == row.detail)
            #expect(try await house.store.command(command.id)?.command == command)
        }
    }

    @Test(
        "a report just before the command is sent does not end it, and a changed state is recorded as the lock's own event",
        arguments: [LockReport.Fact.state(.unlocked, quality: .confirmed, method: .manual, operatorName: nil), .refusal(.busy)])
    func saidBefore(_ fact: LockReport.Fact) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let adapter = house.adapter
            adapter.report(.locked, from: house.ids.door)
            // At this point the command is registered, and about to be handed to the lock.
            adapter.onSend { adapter.report(fact, from: $0.deviceID) }
            #expect(try await house.run(by: house.ids.tenant).state == .timedOut)
            await house.control.stop()
            let events = house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent }
            #expect(events.map(\.event) == (fact == .refusal(.busy) ? [] : [.unlocked]))
        }
    }

    struct Trust: Sendable, CustomTestStringConvertible {
        let name: String
        let behaviour: ScriptedAdapter.Behaviour
        let quality: StateQuality
        let isAsked: Bool
        var testDescription: String { name }
    }

    static let trust: [Trust] =
        [
            Trust(name: "confirmed", behaviour: .confirmAtOnce, quality: .confirmed, isAsked: false),
            Trust(name: "silent lock", behaviour: .silent, quality: .stale, isAsked: true),
            Trust(name: "jam", behaviour: .jam(after: .seconds(1)), quality: .confirmed, isAsked: false),
            Trust(name: "never sent", behaviour: .fail(.offline), quality: .confirmed, isAsked: false),
        ]
        + [LockRefusal.busy, .notAuthorised, .invalidCode, .notCalibrated, .unsupported].map {
            Trust(name: "refused: \($0)", behaviour: .refuse($0, after: .seconds(1)), quality: .confirmed, isAsked: false)
        }
        + [LockRefusal.transport, .offline, .lowPower, .jammed, .other].map {
            Trust(name: "unclear result: \($0)", behaviour: .refuse($0, after: .seconds(1)), quality: .stale, isAsked: false)
        }

    @Test("after a command was sent, the state stays confirmed only if the lock reported a definite result", arguments: trust)
    func stateAfter(row: Trust) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: row.behaviour)
            let door = house.ids.door
            house.adapter.report(.locked, from: door)
            let finished = try await house.begin(by: house.ids.tenant).finished
            #expect(finished.status.stateQuality == row.quality, "the command's result has the same state quality")
            #expect(house.control.devices.status(of: door).stateQuality == row.quality)
            #expect(house.adapter.refreshes == (row.isAsked ? [door] : []))
            house.adapter.report(.battery(level: 40, low: nil), from: door)
            #expect(
                house.control.devices.status(of: door).stateQuality == row.quality,
                "reports without a state do not make the state confirmed again")
            house.adapter.report(.locked, from: door)
            #expect(house.control.devices.status(of: door).stateQuality == .confirmed)
        }
    }

    @Test("an assumed state stays assumed after a command without a report")
    func derived() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            house.adapter.report(.state(.locked, quality: .assumed, method: nil, operatorName: nil), from: house.ids.door)
            #expect(try await house.run(by: house.ids.tenant).state == .timedOut)
            #expect(house.control.devices.status(of: house.ids.door).stateQuality == .assumed)
        }
    }

    @Test("the intent records rule, user and device before the command is sent")
    func intentComesFirst() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let (store, portfolio) = (house.store, house.ids.portfolio)
            let seen = Seen<[AccessRecord]>()
            house.adapter.onSend { _ in seen.value = store.log(.portfolio(portfolio)) }
            let command = try await house.run(by: house.ids.tenant)
            let intent = try #require(seen.value?.last?.body)
            #expect(intent.kind == .commandIntent)
            #expect(intent.commandID == command.id)
            #expect(intent.rule == .association(house.ids.tenancy, .tenant))
            #expect(intent.decision == .allowed)
            #expect(intent.actor.name == "Tom Tenant")
            #expect(intent.device?.deviceName == "Flat door")
            #expect(intent.device?.unitID == house.ids.unit)
        }
    }

    @Test("a command to a lock that is already in the target state is sent, and reports that nothing changed")
    func changedSaysWhetherItMoved() async throws {
        let house = try await House()
        let first = try await house.run(.unlock, by: house.ids.tenant)
        let second = try await house.run(.unlock, by: house.ids.tenant)
        #expect(first.changed == true)
        #expect(second.changed == false)
        #expect(house.adapter.sentCommands.count == 2)
    }

    @Test(
        "only a live state report after the command was sent confirms it",
        arguments: [StateQuality.retained, .assumed, .stale])
    func onlyLiveReportsConfirm(quality: StateQuality) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let (adapter, door) = (house.adapter, house.ids.door)
            adapter.report(.unlocked, from: door)
            adapter.onSent { _ in
                adapter.report(.state(.unlocked, quality: quality, method: nil, operatorName: nil), from: door)
            }
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == .timedOut)
        }
    }

    @Test("intermediate and wrong states do not end a command; the target state does, even if the lock relocks immediately")
    func firstMatchingReportConfirms() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let (adapter, door) = (house.adapter, house.ids.door)
            adapter.onSent { _ in
                for state in [LockState.locked, .unlocking, .unlocked, .locked] { adapter.report(state, from: door) }
            }
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == .confirmed)
            #expect(command.stateAfter == .unlocked)
        }
    }

    @Test("a confirmation after the outcome does not change it, and is recorded as an event that names the command")
    func lateConfirmation() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 3, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(15)))
            let command = try await house.run(by: house.ids.tenant)
            #expect(command.state == .timedOut)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(10)))
            await house.control.stop()
            let event = try #require(house.records(of: command.id).last)
            #expect(event.kind == .deviceEvent)
            #expect(event.event == .unlocked)
            #expect(event.actor.kind == .device)
            #expect(house.records(of: command.id).count { $0.kind == .commandOutcome } == 1)
            #expect(try await house.store.command(command.id)?.command.state == .timedOut)
        }
    }

    @Test("the deadline of a guest's command is never after the end of the guest access")
    func windowBoundsTheDeadline() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            clock.advance(by: .seconds(24 * 3600 - 3))
            let started = clock.now()
            let command = try await house.run(by: house.ids.guest, timeout: .seconds(60))
            #expect(command.state == .timedOut)
            #expect(command.deadline.duration(since: started) == .seconds(3))
            let after = await denial { _ = try await house.run(by: house.ids.guest) }
            #expect(after?.reason == .guestWindowEnded)
        }
    }
}
