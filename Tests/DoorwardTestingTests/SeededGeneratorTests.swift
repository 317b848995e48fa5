import DoorwardTesting
import Testing

@Suite struct SeededGeneratorTests {
    @Test("The first numbers of seed 1234567 are those of the published SplitMix64")
    func published() {
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ])
    }

    @Test("A copy continues with the same numbers, independently of the original")
    func copies() {
        var original = SeededGenerator(seed: 5)
        _ = original.next()
        var copy = original
        #expect(original.next() == copy.next())
        _ = original.next()
        #expect(original != copy)
    }
}
