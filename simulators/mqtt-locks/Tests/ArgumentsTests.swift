import ArgumentParser
import Testing

@testable import doorward_mqtt_locks

@Suite struct ArgumentsTests {
    @Test("a fleet cannot be played without a broker")
    func broker() {
        #expect(throws: (any Error).self) { try MQTTLocks.parse([]) }
    }
}
