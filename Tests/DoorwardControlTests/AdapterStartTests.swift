import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Synchronization
import Testing

@testable import DoorwardLocks

/// An adapter that cannot start takes only its own locks offline.
@Suite struct AdapterStartTests {
    struct Broken: Error, CustomStringConvertible { let description = "the radio stick is missing" }

    /// A scripted adapter whose start throws, or does not return, until it is repaired.
    final class Stubborn: LockAdapter {
        enum Manner: Sendable { case throwing, hanging, willing }

        let inner: ScriptedAdapter
        private let manner: Mutex<Manner>
        private let hanging = Mutex<[CheckedContinuation<Void, Never>]>([])
        private let count = Mutex(0)
        private let stopCount = Mutex(0)

        init(_ manner: Manner, clock: VirtualClock, executor: any TaskExecutor) {
            inner = ScriptedAdapter(kind: "stubborn", clock: clock, executor: executor)
            self.manner = Mutex(manner)
        }

        /// The number of calls of `start`.
        var starts: Int { count.withLock { $0 } }

        /// The number of calls of `stop`.
        var stops: Int { stopCount.withLock { $0 } }

        func repair() {
            manner.withLock { $0 = .willing }
            let waiting = hanging.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func start(reports: any ReportReceiver) async throws {
            count.withLock { $0 += 1 }
            switch manner.withLock({ $0 }) {
            case .throwing: throw Broken()
            case .hanging: await withCheckedContinuation { continuation in hanging.withLock { $0.append(continuation) } }
            case .willing: break
            }
            try await inner.start(reports: reports)
        }

        var kind: String { inner.kind }
        var addressFields: [AddressField] { inner.addressFields }
        var health: AdapterHealth { inner.health }
        func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
            try inner.check(address: address, within: scope)
        }
        func stop() async {
            stopCount.withLock { $0 += 1 }
            await inner.stop()
        }
        func attach(_ lock: AttachedLock) { inner.attach(lock) }
        func detach(_ id: DeviceID) { inner.detach(id) }
        func send(_ order: LockCommand) throws(AdapterError) { try inner.send(order) }
        func refresh(_ id: DeviceID) throws(AdapterError) { try inner.refresh(id) }
    }

    /// A lock of the stubborn adapter and a lock of another adapter, with one owner.
    private struct Site {
        let control: GatewayControl
        let stubborn: Stubborn
        let (broken, sound): (DeviceID, DeviceID)
        let (owner, superAdmin): (UserID, UserID)
        let clock: VirtualClock

        init(_ manner: Stubborn.Manner, _ clock: VirtualClock, _ executor: SeededExecutor) async throws {
            self.clock = clock
            var world = TenancyFixture(seed: 5, createdAt: clock.now())
            let portfolio = world.portfolio("Oak Street")
            let property = world.property("No. 5", in: portfolio)
            broken = world.device("Broken", in: .property(property), adapter: "stubborn")
            sound = world.device("Sound", in: .property(property))
            owner = world.user("Olga")
            superAdmin = world.user("Root", isSuperAdmin: true)
            world.assign(owner, .owner, .portfolio(portfolio))
            let store = InMemoryStore()
            _ = try await store.commit(StoreTransaction(changes: world.changes))
            stubborn = Stubborn(manner, clock: clock, executor: executor)
            control = GatewayControl(
                store: store, adapters: [stubborn, ScriptedAdapter(clock: clock, executor: executor)], clock: clock,
                random: RandomSource(SeededGenerator(seed: 1)), executor: executor)
            try await control.start()
        }

        func unlock(_ device: DeviceID) async throws -> Command {
            let request = CommandRequest(
                caller: Caller(userID: owner), deviceID: device, attemptedID: device.description, operation: .unlock,
                timeout: .seconds(10))
            return try await #require(try control.locks.begin(request).running).finished.command
        }

        func state() throws -> AdapterState {
            try #require(try control.adapterStates.all(for: Caller(userID: superAdmin)).first { $0.kind == "stubborn" })
        }

        func wait(_ duration: Duration) async throws {
            try await clock.sleep(until: clock.monotonicNow().advanced(by: duration))
        }
    }

    @Test(
        "a gateway starts although one adapter throws or does not return, and the other adapters work",
        arguments: [true, false])
    func starts(hangs: Bool) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let site = try await Site(hangs ? .hanging : .throwing, clock, executor)
            #expect(await site.control.isReadyToServe)
            #expect(try await site.unlock(site.sound).state == .confirmed)
            let command = try await site.unlock(site.broken)
            #expect(command.state == .failed && command.outcomeDetail == "device_offline" && command.sent == false)
            #expect(site.control.devices.status(of: site.broken).isOnline == false)
            #expect(try site.state().health == "down")
            site.stubborn.repair()
            await site.control.stop()
        }
    }

    @Test(
        "an adapter whose start throws is started again with back-off, and one whose start hangs becomes ready when it returns",
        arguments: [true, false])
    func again(hangs: Bool) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let site = try await Site(hangs ? .hanging : .throwing, clock, executor)
            try await site.wait(.seconds(3600))
            #expect(hangs ? site.stubborn.starts == 1 : (10...100).contains(site.stubborn.starts))
            site.stubborn.repair()
            try await site.wait(.seconds(300))
            #expect(try site.state().health == "ok")
            #expect(try await site.unlock(site.broken).state == .confirmed)
            let starts = site.stubborn.starts
            try await site.wait(.seconds(3600))
            #expect(site.stubborn.starts == starts, "a started adapter is not started again")
            await site.control.stop()
        }
    }

    @Test("an adapter that has started is not marked as failed when the time limit for its start ends later")
    func givenUpTooLate() {
        let adapters = AdapterRegistry([])
        #expect(adapters.setFailure("it is slow", of: "stubborn"))
        #expect(adapters.start(of: "stubborn") == .failed("it is slow"))
        adapters.setStart(.started, of: "stubborn")
        #expect(!adapters.setFailure("it is slow", of: "stubborn"))
        #expect(adapters.isStarted("stubborn"))
    }

    @Test("a gateway stops although an adapter has never started")
    func stops() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let site = try await Site(.throwing, clock, executor)
            try await site.wait(.seconds(5))
            await site.control.stop()
            let starts = site.stubborn.starts
            try await site.wait(.seconds(3600))
            #expect(site.stubborn.starts == starts)
        }
    }

    @Test("an adapter that finishes its start while the gateway stops is stopped", arguments: 1...20 as ClosedRange<UInt64>)
    func startsWhileStopping(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let site = try await Site(.hanging, clock, executor)
            async let stopping: Void = site.control.stop()
            site.stubborn.repair()
            await stopping
            try await site.wait(.seconds(60))
            #expect(site.stubborn.stops == 1)
        }
    }

    private struct NoReports: ReportReceiver {
        func receive(_ report: LockReport) {}
    }

    @Test("stopping waits for an adapter that is being activated")
    func stopsWhileActivating() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let adapter = Stubborn(.willing, clock: clock, executor: executor)
            let starter = AdapterStarter(
                AdapterRegistry([adapter]), clock: clock, executor: executor, logger: Logger(label: "test"))
            let isActivated = Mutex(false)
            let start = Task(executorPreference: executor) {
                await starter.start(reports: NoReports()) { _ in
                    try? await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(5)))
                    isActivated.withLock { $0 = true }
                }
            }
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            #expect(adapter.starts == 1 && !isActivated.withLock { $0 })
            await starter.stop()
            #expect(isActivated.withLock { $0 })
            await start.value
        }
    }
}
