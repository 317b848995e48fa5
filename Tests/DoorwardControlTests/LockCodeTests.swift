import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardLocks

@Suite struct LockCodeTests {
    private static let (one, other) = (DeviceID(high: 0, low: 1), DeviceID(high: 0, low: 2))
    private static let sealer = LockCodeSealer(key: Secret([UInt8](repeating: 7, count: 32)))

    @Test("A sealed code can be opened only with its key and for its device, and only if no bit of it was changed")
    func binding() throws {
        let sealed = try Self.sealer.seal(Secret("4711"), for: Self.one, RandomSource())
        #expect(Self.sealer.open(sealed, of: Self.one)?.reveal() == "4711")
        #expect(Self.sealer.open(sealed, of: Self.other) == nil)
        #expect(LockCodeSealer(key: Secret([UInt8](repeating: 8, count: 32))).open(sealed, of: Self.one) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(Self.sealer.open(changed, of: Self.one) == nil, "byte \(index)")
        }
        #expect(Self.sealer.open([], of: Self.one) == nil)
    }

    @Test("Sealed codes have the same length for all codes and differ each time, and a code that is too long is rejected")
    func lengths() throws {
        let random = RandomSource()
        let sealed = try ["1", "1", String(repeating: "9", count: 64)].map {
            try Self.sealer.seal(Secret($0), for: Self.one, random)
        }
        #expect(Set(sealed).count == 3 && Set(sealed.map(\.count)) == [93])
        #expect(Self.sealer.open(sealed[2], of: Self.one)?.reveal().count == 64)
        #expect(throws: GatewayError.self) {
            try Self.sealer.seal(Secret(String(repeating: "9", count: 65)), for: Self.one, random)
        }
    }

    @Test("After a restart with the same key the lock has its code again; with another key it has none")
    func restart() async throws {
        let clock = VirtualClock()
        var world = TenancyFixture(seed: 3, createdAt: clock.now())
        let portfolio = world.portfolio("Quay")
        let door = world.device("Door", in: .property(world.property("No. 1", in: portfolio)))
        let owner = world.user("Olga")
        world.assign(owner, .owner, .portfolio(portfolio))
        let store = InMemoryStore()
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        func gateway(_ byte: UInt8) async throws -> (GatewayControl, ScriptedAdapter) {
            let adapter = ScriptedAdapter(clock: clock)
            let control = GatewayControl(
                store: store, adapters: [adapter], clock: clock, random: RandomSource(),
                lockCodeKey: Secret([UInt8](repeating: byte, count: 32)))
            try await control.start()
            return (control, adapter)
        }
        let (first, _) = try await gateway(1)
        _ = try await first.attachedDevices.changeSettings(
            Caller(userID: owner), door, DeviceSettingsChanges(code: .set(Secret("4711"))))
        let (_, again) = try await gateway(1)
        #expect(again.code(of: door)?.reveal() == "4711")
        let (_, foreign) = try await gateway(2)
        #expect(foreign.code(of: door) == nil)
    }
}
