import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct PositionTests {
    @Test("only a bolt that is said to be locked counts as locked")
    func locked() {
        #expect(Position.allCases.filter { $0.lockState == .locked } == [.locked])
    }
}
