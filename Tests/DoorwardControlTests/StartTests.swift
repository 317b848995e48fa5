import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Testing

/// Start and stop of the gateway: when it is ready, and how adapters and devices are set up.
@Suite struct StartTests {
    private static func control(_ store: InMemoryStore, _ adapters: [any LockAdapter], _ clock: VirtualClock) -> GatewayControl {
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        return GatewayControl(
            store: store, adapters: adapters, clock: clock,
            random: RandomSource(SeededGenerator(seed: 5 &+ UInt64(store.commitCount) << 32)), limits: limits)
    }

    @Test("a gateway is ready from the end of its start until its stop, except while the store is unavailable")
    func readiness() async throws {
        let (clock, store) = (VirtualClock(), InMemoryStore())
        let control = Self.control(store, [], clock)
        #expect(await control.isReadyToServe == false)
        try await control.start()
        #expect(await control.isReadyToServe)
        store.stayUnavailable()
        #expect(await control.isReadyToServe == false)
        store.recover()
        #expect(await control.isReadyToServe)
        await control.stop()
        #expect(await control.isReadyToServe == false)
        #expect(store.log(.gateway).map(\.body.event) == [.start, .stop])
    }

    @Test("a broker that belongs to a portfolio that does not exist is logged once at the start, with the portfolio's id")
    func unknownPortfolio() async throws {
        let (clock, store, lines) = (VirtualClock(), InMemoryStore(), Seen<[String]>())
        var world = TenancyFixture(seed: 9, createdAt: clock.now())
        let known = world.portfolio("Quay")
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        let unknown = PortfolioID(high: 0xBAD, low: 1)
        let adapter = ScriptedAdapter(clock: clock)
        adapter.set(transports: [
            AdapterTransport(name: "oak", owner: .portfolio(known), health: .ok),
            AdapterTransport(name: "elm", owner: .portfolio(unknown), health: .ok),
            AdapterTransport(name: "spare", owner: .gateway, health: .ok),
        ])
        let control = GatewayControl(
            store: store, adapters: [adapter], clock: clock, random: RandomSource(),
            logger: Logger(label: "test") { _ in LineHandler { line in lines.value = (lines.value ?? []) + [line] } })
        try await control.start()
        await control.stop()
        #expect(lines.value?.count == 1)
        #expect(lines.value?.first?.contains("broker `elm` belongs to portfolio \(unknown), which does not exist") == true)
    }

    private struct LineHandler: LogHandler {
        let write: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { write("\(event.level) \(event.message)") }
    }

    @Test("a start that cannot be recorded fails")
    func startNotWritten() async throws {
        let (clock, store) = (VirtualClock(), InMemoryStore())
        store.stayUnavailable()
        let control = Self.control(store, [], clock)
        await #expect(throws: (any Error).self) { try await control.start() }
        #expect(await control.isReadyToServe == false)
    }

    @Test("a device whose adapter does not exist does not affect other devices")
    func unknownAdapter() async throws {
        let (clock, store) = (VirtualClock(), InMemoryStore())
        var world = TenancyFixture(seed: 3, createdAt: clock.now())
        let property = world.property("No. 5", in: world.portfolio("Oak Street"))
        let orphan = world.device("Orphan", in: .property(property), adapter: "gone")
        let door = world.device("Door", in: .property(property))
        let manager = world.user("Max")
        world.assign(manager, .propertyManager, .property(property))
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        let adapter = ScriptedAdapter(clock: clock)
        let control = Self.control(store, [adapter], clock)
        try await control.start()
        #expect(await control.isReadyToServe)
        #expect(adapter.attached.map(\.id) == [door])
        func run(_ device: DeviceID) async throws -> Command {
            let request = CommandRequest(
                caller: Caller(userID: manager), deviceID: device, attemptedID: "", operation: .lock, timeout: .seconds(1))
            return await (try #require(try await control.locks.begin(request).running)).finished.command
        }
        let failed = try await run(orphan)
        #expect(failed.state == .failed)
        #expect(failed.sent == false)
        #expect(failed.outcomeDetail == "other")
        #expect(try await run(door).state == .confirmed)
        let caller = Caller(userID: manager)
        let status = try control.attachedDevices.status(of: orphan, for: caller, refresh: true).status
        #expect(status == DeviceStatus(), "refreshing a lock without an adapter is not an error")
        _ = try control.attachedDevices.status(of: door, for: caller, refresh: true)
        #expect(adapter.refreshes == [door])
    }

    @Test("each of several adapters gets its own devices, and all adapters are stopped")
    func severalAdapters() async throws {
        let (clock, store) = (VirtualClock(), InMemoryStore())
        var world = TenancyFixture(seed: 3, createdAt: clock.now())
        let property = world.property("No. 5", in: world.portfolio("Oak Street"))
        let kinds = ["first", "second"]
        let doors = kinds.map { world.device($0, in: .property(property), adapter: $0) }
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        let adapters = kinds.map { ScriptedAdapter(kind: $0, clock: clock) }
        let control = Self.control(store, adapters.reversed(), clock)
        try await control.start()
        #expect(control.adapters.all.map(\.kind) == kinds)
        #expect(adapters.map { $0.attached.map(\.id) } == doors.map { [$0] })
        adapters[1].report(.locked, from: doors[1])
        #expect(control.devices.status(of: doors[1]).state == .locked)
        await control.stop()
        adapters[1].report(.unlocked, from: doors[1])
        #expect(control.devices.status(of: doors[1]).state == .locked, "reports after the stop are ignored")
    }

    @Test("the reasons of lock refusals are the values in the table of command outcomes")
    func refusalCauses() {
        #expect(
            Set(LockRefusal.allCases.map(\.rawValue)) == [
                "busy", "not_authorised", "invalid_code", "low_power", "not_calibrated", "unsupported", "transport",
                "device_offline", "jammed", "other",
            ])
    }

    @Test(
        "if the adapter throws instead of sending, the command fails with that error and is not sent",
        arguments: [
            (AdapterError.offline, "device_offline"), (.transportBusy, "transport"), (.unsupported, "unsupported"),
            (.notAttached, "other"),
        ])
    func adapterErrors(error: AdapterError, detail: String) async throws {
        let house = try await House(behaviour: .fail(error))
        let command = try await house.run(by: house.ids.tenant)
        #expect(command.state == .failed)
        #expect(command.outcomeDetail == detail)
        #expect(command.sent == false)
        #expect(command.dispatchedAt == nil)
        #expect(house.records(of: command.id).last?.latencyMs == nil)
    }
}
