import DoorwardDomain
import Testing

@Suite struct LockTests {
    @Test("Capabilities have the twelve names of the domain, in its order")
    func names() {
        #expect(
            LockCapabilities.all.names == [
                "LOCK", "UNLOCK", "UNLATCH", "INTERMEDIATE_STATES", "JAM", "DOOR", "BATTERY", "OPERATOR", "FAILED_ATTEMPTS",
                "REFRESH",
                "SETTINGS", "ACCEPTS_CODE",
            ])
        #expect(LockCapabilities(names: LockCapabilities.all.names) == .all)
    }

    @Test("Each capability has a bit of its own")
    func bits() {
        let bits = LockCapabilities.named.map(\.capability.rawValue)
        #expect(Set(bits).count == bits.count)
        #expect(bits.allSatisfy { $0.nonzeroBitCount == 1 })
    }

    @Test("Any order and repetition of names is the same set; none is the empty one")
    func parsing() {
        #expect(LockCapabilities(names: ["DOOR", "LOCK", "DOOR"]) == [.lock, .door])
        #expect(LockCapabilities(names: [])?.names == [])
    }

    @Test("A name that is not in the list is refused", arguments: ["lock", "OPEN", "", "LOCK "])
    func unknown(name: String) { #expect(LockCapabilities(names: ["LOCK", name]) == nil) }

    @Test("Only the three movements need a capability, each its own")
    func required() {
        for operation in LockOperation.allCases {
            #expect(operation.requiredCapability?.names == (operation.isMovement ? [operation.rawValue] : nil))
        }
        #expect(LockOperation.movements == [.lock, .unlock, .unlatch])
    }

    @Test("A state satisfies what it is the aim of; an open latch is unlocked too, and nothing but LOCKED is locked")
    func satisfied() {
        #expect(LockState.allCases.filter { $0.satisfies(.lock) } == [.locked])
        #expect(LockState.allCases.filter { $0.satisfies(.unlock) } == [.unlocked, .unlatched])
        #expect(LockState.allCases.filter { $0.satisfies(.unlatch) } == [.unlatched])
        #expect(LockState.allCases.allSatisfy { !$0.satisfies(.viewStatus) })
    }
}
