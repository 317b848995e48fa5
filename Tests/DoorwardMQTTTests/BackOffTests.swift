import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@Suite struct BackOffTests {
    @Test("each pause is between half and all of a delay that doubles up to the maximum", arguments: UInt64(0)..<50)
    func bounds(seed: UInt64) {
        let random = RandomSource(SeededGenerator(seed: seed))
        var backOff = BackOff(initial: .milliseconds(500), maximum: .seconds(60))
        var whole = Duration.milliseconds(500)
        for _ in 0..<20 {
            let delay = backOff.nextDelay(random)
            #expect(delay >= whole / 2 && delay <= whole)
            whole = min(whole * 2, .seconds(60))
        }
        backOff.reset()
        #expect(backOff.nextDelay(random) <= .milliseconds(500))
    }

    @Test("a hundred gateways that lose their broker at the same time reconnect at different times")
    func jitter() {
        let delays = (UInt64(0)..<100).map { seed in
            var backOff = BackOff(initial: .seconds(60), maximum: .seconds(60))
            return backOff.nextDelay(RandomSource(SeededGenerator(seed: seed)))
        }
        let slots = Dictionary(grouping: delays) { $0.components.seconds / 3 }
        #expect(slots.count >= 9, "occupied slots of the ten slots of three seconds")
        #expect(slots.values.allSatisfy { $0.count <= 30 })
    }
}
