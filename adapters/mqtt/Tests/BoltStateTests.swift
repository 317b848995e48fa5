import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct BoltStateTests {
    @Test("only the bolt state `locked` counts as locked")
    func locked() {
        #expect(BoltState.allCases.filter { $0.lockState == .locked } == [.locked])
    }
}
