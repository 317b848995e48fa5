import DoorwardDomain
import Testing

@Suite struct LockTests {
    @Test("The twelve capabilities have these names in this order")
    func names() {
        #expect(
            LockCapabilities.all.names == [
                "LOCK", "UNLOCK", "UNLATCH", "INTERMEDIATE_STATES", "JAM", "DOOR", "BATTERY", "OPERATOR", "FAILED_ATTEMPTS",
                "REFRESH",
                "SETTINGS", "ACCEPTS_CODE",
            ])
        #expect(LockCapabilities(names: LockCapabilities.all.names) == .all)
    }

    @Test("Each capability has its own bit")
    func bits() {
        let bits = LockCapabilities.named.map(\.capability.rawValue)
        #expect(Set(bits).count == bits.count)
        #expect(bits.allSatisfy { $0.nonzeroBitCount == 1 })
    }

    @Test("Names in any order and with repetitions give the same set, and no names give the empty set")
    func parsing() {
        #expect(LockCapabilities(names: ["DOOR", "LOCK", "DOOR"]) == [.lock, .door])
        #expect(LockCapabilities(names: [])?.names == [])
    }

    @Test("An unknown name is rejected", arguments: ["lock", "OPEN", "", "LOCK "])
    func unknown(name: String) { #expect(LockCapabilities(names: ["LOCK", name]) == nil) }

    @Test("Only the three movements require a capability, each the one of its name")
    func required() {
        for operation in LockOperation.allCases {
            #expect(operation.requiredCapability?.names == (operation.isMovement ? [operation.rawValue] : nil))
        }
        #expect(LockOperation.movements == [.lock, .unlock, .unlatch])
    }

    @Test("A state satisfies the operation that leads to it, and UNLATCHED also satisfies UNLOCK")
    func satisfied() {
        #expect(LockState.allCases.filter { $0.satisfies(.lock) } == [.locked])
        #expect(LockState.allCases.filter { $0.satisfies(.unlock) } == [.unlocked, .unlatched])
        #expect(LockState.allCases.filter { $0.satisfies(.unlatch) } == [.unlatched])
        #expect(LockState.allCases.allSatisfy { !$0.satisfies(.viewStatus) })
    }
}
