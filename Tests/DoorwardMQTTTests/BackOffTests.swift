import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@Suite struct BackOffTests {
    @Test("each pause is between a half and the whole of what doubles up to the longest", arguments: UInt64(0)..<50)
    func bounds(seed: UInt64) {
        let random = RandomSource(SeededGenerator(seed: seed))
        var backOff = BackOff(first: .milliseconds(500), longest: .seconds(60))
        var whole = Duration.milliseconds(500)
        for _ in 0..<20 {
            let pause = backOff.pause(random)
            #expect(pause >= whole / 2 && pause <= whole)
            whole = min(whole * 2, .seconds(60))
        }
        backOff.reset()
        #expect(backOff.pause(random) <= .milliseconds(500))
    }

    @Test("a hundred gateways that lost their broker at once do not come back at once")
    func jitter() {
        let pauses = (UInt64(0)..<100).map { seed in
            var backOff = BackOff(first: .seconds(60), longest: .seconds(60))
            return backOff.pause(RandomSource(SeededGenerator(seed: seed)))
        }
        let slots = Dictionary(grouping: pauses) { $0.components.seconds / 3 }
        #expect(slots.count >= 9, "of the ten slots of three seconds")
        #expect(slots.values.allSatisfy { $0.count <= 30 })
    }
}
