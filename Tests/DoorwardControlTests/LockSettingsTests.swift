import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardTenancy

/// Settings that move into the lock: a command with intent and outcome.
@Suite struct LockSettingsTests {
    private static func inHouse(
        _ behaviour: ScriptedAdapter.Behaviour = .confirmAtOnce, _ body: @escaping @Sendable (House) async throws -> Void
    ) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run { try await body(House(clock: clock, executor: executor, behaviour: behaviour)) }
    }

    @Test("The intent is durable before anything is sent, and names the rule and the setting before and after")
    func intent() throws {
        try Self.inHouse { house in
            let seen = Seen<[RecordBody]>()
            house.adapter.onSend { command in
                seen.value = house.records(of: command.commandID)
                #expect(command.operation == .changeSettings && command.settings == LockSettings(autoRelockSeconds: 30))
                #expect(house.settings.autoRelockSeconds == nil)
            }
            let (device, command) = try await house.set(30)
            #expect(device.settings.autoRelockSeconds == 30)
            let ended = try #require(command?.command)
            #expect(
                ended.state == .confirmed && ended.sent == true && ended.changed == true && ended.operation == .changeSettings)
            let intent = try #require(seen.value?.first)
            #expect(seen.value?.count == 1 && intent.kind == .commandIntent && intent.decision == .allowed)
            #expect(intent.rule == ended.rule && intent.operation == .changeSettings)
            #expect(intent.details["before"] == .object(["autoRelockSeconds": .null]))
            #expect(intent.details["after"] == .object(["autoRelockSeconds": .integer(30)]))
            #expect(house.records(of: ended.id).map(\.kind) == [.commandIntent, .commandOutcome])
            #expect(try await house.storedSettings == LockSettings(autoRelockSeconds: 30), "the settings are durable")
            #expect(try await house.store.command(ended.id)?.command == ended)
            house.adapter.onSend(nil)
            let second = try #require(try await house.set(60).command?.command)
            #expect(house.records(of: second.id).first?.details["before"] == .object(["autoRelockSeconds": .integer(30)]))
        }
    }

    @Test("The settings change only when the lock confirms them, with the outcome in one transaction")
    func confirmedLater() throws {
        try Self.inHouse(.confirm(after: .seconds(3))) { house in
            async let answer = house.set(30)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(2)))
            #expect(house.settings.autoRelockSeconds == nil)
            let commits = house.store.commitCount
            #expect(try await answer.command?.command.state == .confirmed)
            #expect(house.store.commitCount == commits + 1)
            #expect(house.settings.autoRelockSeconds == 30)
        }
    }

    @Test("A setting that the lock has confirmed before needs no command")
    func unchanged() throws {
        try Self.inHouse { house in
            _ = try await house.set(0)
            let records = house.portfolioLog.count
            let (device, command) = try await house.set(0)
            #expect(device.settings.autoRelockSeconds == 0 && command == nil)
            #expect(house.adapter.sentCommands.count == 1 && house.portfolioLog.count == records)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let behaviour: ScriptedAdapter.Behaviour
        let state: CommandState
        var detail: String?
        let sent: Bool
    }

    static let rows = [
        Row(testDescription: "silent", behaviour: .silent, state: .timedOut, sent: true),
        Row(testDescription: "too late", behaviour: .confirm(after: .seconds(11)), state: .timedOut, sent: true),
        Row(testDescription: "a jam is no answer", behaviour: .jam(after: .seconds(1)), state: .timedOut, sent: true),
        Row(
            testDescription: "refused", behaviour: .refuse(.transport, after: .seconds(1)), state: .failed, detail: "transport",
            sent: true),
        Row(
            testDescription: "offline", behaviour: .fail(.offline), state: .failed, detail: "device_offline", sent: false),
        Row(
            testDescription: "unsupported", behaviour: .fail(.unsupported), state: .failed, detail: "unsupported", sent: false),
    ]

    @Test("Without a confirmation the stored settings stay as they are, and nothing is sent again", arguments: rows)
    func unconfirmed(_ row: Row) throws {
        try Self.inHouse { house in
            _ = try await house.set(30)
            house.adapter.report(.locked, from: house.ids.door)
            house.adapter.set(row.behaviour, for: house.ids.door)
            let (device, finished) = try await house.set(60)
            let command = try #require(finished?.command)
            #expect(command.state == row.state && command.outcomeDetail == row.detail && command.sent == row.sent)
            #expect(device.settings.autoRelockSeconds == 30 && house.settings.autoRelockSeconds == 30)
            #expect(try await house.storedSettings.autoRelockSeconds == 30)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(120)))
            #expect(house.settings.autoRelockSeconds == 30, "a confirmation after the end changes nothing")
            #expect(house.adapter.sentCommands.count == (row.sent ? 2 : 1))
            let quality = house.control.attachedDevices.attachments.devices.status(of: house.ids.door).stateQuality
            #expect(quality == .confirmed, "a change of the settings leaves no doubt of the bolt's position")
            // The lock may have taken over the new settings if it has received them: setting the stored ones is then a command.
            house.adapter.set(.confirmAtOnce, for: house.ids.door)
            #expect((try await house.set(30).command != nil) == row.sent)
            #expect(try await house.set(30).command == nil)
        }
    }

    @Test("A right that ends while the command waits: nothing is sent, and the settings stay as they are")
    func revoked() throws {
        try Self.inHouse(.confirm(after: .seconds(2))) { house in
            let movement = try await house.begin(by: house.ids.tenant)
            let manager = house.ids.managers[0]
            async let answer = house.set(30, by: manager)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(1)))
            try await house.control.roles.remove(house.caller(house.ids.owner), manager, from: .property(house.ids.property))
            let finished = try #require(try await answer.command)
            #expect(finished.command.state == .denied && finished.command.sent == false && finished.denial != nil)
            #expect(await movement.finished.command.state == .confirmed)
            #expect(house.adapter.sentCommands.map(\.command.operation) == [.unlock])
            #expect(house.settings.autoRelockSeconds == nil)
        }
    }

    @Test("After a crash the command ends as UNKNOWN, nothing is sent, and the stored settings are in doubt until a confirmation")
    func crash() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let createdAt = clock.now()
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            _ = try await house.set(30)
            house.adapter.set(.silent, for: house.ids.door)
            async let lost = house.set(60)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let sent = try #require(house.adapter.sentCommands.last?.command.commandID)
            let restarted = try await House(clock: clock, executor: executor, store: house.store.reopened(), createdAt: createdAt)
            let command = try #require(try await restarted.store.command(sent)?.command)
            #expect(command.state == .unknown && command.sent == nil && command.operation == .changeSettings)
            #expect(restarted.adapter.sentCommands.isEmpty)
            #expect(restarted.adapter.attached.first { $0.id == house.ids.door }?.settings.autoRelockSeconds == 30)
            restarted.adapter.report(.settings(LockSettings(autoRelockSeconds: 60)), from: house.ids.door)
            restarted.adapter.report(.locked, from: house.ids.door)
            #expect(restarted.settings.autoRelockSeconds == 30)
            #expect(try await restarted.set(30).command?.command.state == .confirmed)
            #expect(try await restarted.set(30).command == nil)
            _ = try await lost
        }
    }

    @Test("After a restart the stored settings are unconfirmed, because the lock may have those of a command that timed out")
    func restart() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let createdAt = clock.now()
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            _ = try await house.set(30)
            house.adapter.set(.silent, for: house.ids.door)
            #expect(try await house.set(60).command?.command.state == .timedOut)
            let restarted = try await House(clock: clock, executor: executor, store: house.store.reopened(), createdAt: createdAt)
            #expect(try await restarted.set(30).command?.command.state == .confirmed)
            #expect(try await restarted.set(30).command == nil)
        }
    }

    @Test("A lock that reports other settings than the stored ones is sent the stored ones when they are set again")
    func changedInLock() throws {
        try Self.inHouse { house in
            _ = try await house.set(30)
            house.adapter.report(.settings(LockSettings(autoRelockSeconds: 30)), from: house.ids.door)
            #expect(try await house.set(30).command == nil)
            house.adapter.report(.settings(LockSettings(autoRelockSeconds: 5)), from: house.ids.door)
            #expect(house.settings.autoRelockSeconds == 30, "the stored settings are those of a command")
            #expect(try await house.set(30).command?.command.state == .confirmed)
        }
    }

    @Test("A change with a precondition is refused while another change is in progress, which would end the version it names")
    func conditionalDuringChange() throws {
        try Self.inHouse(.confirm(after: .seconds(2))) { house in
            let version = house.control.directory.current.device(house.ids.door)?.updatedAt
            async let first = house.set(30) { device, _ in device.updatedAt == version }
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(1)))
            let second = await failure { _ = try await house.set(60) { device, _ in device.updatedAt == version } }
            guard case .preconditionFailed? = second else { throw try #require(second) }
            #expect(try await first.command?.command.state == .confirmed)
            #expect(house.settings.autoRelockSeconds == 30 && house.adapter.sentCommands.count == 1)
            _ = try await house.set(60) { device, _ in device.updatedAt != version }
            #expect(house.settings.autoRelockSeconds == 60, "the next change is alone again")
        }
    }

    @Test("If the outcome cannot be written, the command is UNKNOWN and the settings stay as they are", arguments: [true, false])
    func outcomeNotWritten(isDurable: Bool) throws {
        try Self.inHouse(.confirm(after: .seconds(1))) { house in
            async let answer = house.set(30)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .milliseconds(500)))
            house.store.failNext(.failed("disk I/O error"), isDurable: isDurable)
            let command = try #require(try await answer.command?.command)
            #expect(command.state == .unknown && command.sent == nil)
            house.store.recover()
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(30)))
            // A failed write that was durable after all has stored both the outcome and the settings.
            #expect(house.settings.autoRelockSeconds == (isDurable ? 30 : nil))
            #expect(try await house.store.command(command.id)?.command.state == (isDurable ? .confirmed : .unknown))
            #expect(house.records(of: command.id).count { $0.kind == .commandOutcome } == 1)
            #expect(try await house.set(30).command?.command.state == .confirmed)
        }
    }

    @Test("A new address clears the settings, and a command in flight to the previous lock changes nothing")
    func otherAddress() throws {
        try Self.inHouse { house in
            _ = try await house.set(30)
            let owner = house.caller(house.ids.owner)
            var changes = DeviceChanges()
            changes.address = ["topic": .string("elsewhere")]
            house.adapter.set(.silent, for: house.ids.door)
            async let answer = house.set(60)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(1)))
            _ = try await house.control.attachedDevices.change(owner, house.ids.door, changes)
            house.adapter.report(.settings(LockSettings(autoRelockSeconds: 60)), from: house.ids.door)
            let (device, command) = try await answer
            #expect(command?.command.state == .unknown && device.settings == LockSettings())
            #expect(try await house.storedSettings == LockSettings())
        }
    }

    @Test("A lock without the capability is sent nothing, and neither is one whose code could not be stored")
    func capabilities() async throws {
        let house = try await House()
        for missing in [LockCapabilities.settings, .acceptsCode] {
            var device = try #require(house.control.directory.current.device(house.ids.door))
            device.capabilities = LockCapabilities.all.subtracting(missing)
            let restarted = try await House(clock: house.clock, store: house.store.containing(device))
            let denied = await denial { _ = try await restarted.set(30, code: .set(Secret("1"))) }
            #expect(denied?.reason == .capabilityMissing && denied?.missing?.capability == missing.names.first)
            #expect(restarted.adapter.sentCommands.isEmpty && restarted.portfolioLog.isEmpty)
        }
    }

    @Test("A code in the same change is stored once the lock has confirmed the settings, and not otherwise")
    func withCode() throws {
        try Self.inHouse { house in
            house.adapter.set(.silent, for: house.ids.door)
            #expect(try await house.set(30, code: .set(Secret("1"))).device.sealedCode == nil)
            house.adapter.set(.confirmAtOnce, for: house.ids.door)
            let (device, command) = try await house.set(30, code: .set(Secret("1")))
            #expect(device.sealedCode != nil && device.settings.autoRelockSeconds == 30 && command != nil)
            // Unchanged settings do not keep a code from being stored.
            let (cleared, none) = try await house.set(30, code: .cleared)
            #expect(cleared.sealedCode == nil && none == nil)
        }
    }

    @Test("A denial is recorded like that of any command, and a precondition that fails sends nothing")
    func denied() throws {
        try Self.inHouse { house in
            let refused = await denial { _ = try await house.set(30, by: house.ids.tenant) }
            #expect(refused?.reason == .roleInsufficient)
            #expect(house.portfolioLog.map(\.body.kind) == [.denial])
            #expect(house.portfolioLog.last?.body.operation == .changeSettings)
            let outside = await denial { _ = try await house.set(30, by: house.ids.stranger) }
            #expect(outside?.hasReach == false)
            let stale = await failure {
                _ = try await house.control.attachedDevices.changeSettings(
                    house.caller(house.ids.owner), house.ids.door, DeviceSettingsChanges(autoRelockSeconds: 30)
                ) { _, _ in false }
            }
            guard case .preconditionFailed? = stale else { throw try #require(stale) }
            #expect(house.adapter.sentCommands.isEmpty)
        }
    }
}

extension House {
    /// Sets the auto-relock of the door.
    fileprivate func set(
        _ seconds: Int, by user: UserID? = nil, code: Patch<Secret<String>> = .unchanged,
        onlyIf condition: Precondition<LockDevice>? = nil
    ) async throws -> (device: LockDevice, command: FinishedCommand?) {
        try await control.attachedDevices.changeSettings(
            caller(user ?? ids.owner), ids.door, DeviceSettingsChanges(code: code, autoRelockSeconds: seconds), onlyIf: condition)
    }

    fileprivate var settings: LockSettings { control.directory.current.device(ids.door)?.settings ?? LockSettings() }

    /// The settings of the door in the store.
    fileprivate var storedSettings: LockSettings {
        get async throws {
            var found = LockSettings()
            try await store.loadTenancy { change in
                if case .putDevice(let device) = change, device.id == ids.door { found = device.settings }
            }
            return found
        }
    }
}

extension InMemoryStore {
    /// A copy of the store in which a device is changed.
    fileprivate func containing(_ device: LockDevice) async throws -> InMemoryStore {
        let copy = reopened()
        _ = try await copy.commit(StoreTransaction(changes: [.putDevice(device)]))
        return copy
    }
}
