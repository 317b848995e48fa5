import DoorwardDomain
import Testing

@Suite struct MonotonicInstantTests {
    @Test(
        "An instant advances by a duration, rounded towards zero to a nanosecond",
        arguments: [
            (Duration.nanoseconds(1), 1_000_000_001), (.microseconds(1), 1_000_001_000), (.milliseconds(-1), 999_000_000),
            (.seconds(2), 3_000_000_000), (.seconds(-1), 0), (.seconds(-2), -1_000_000_000), (.zero, 1_000_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 1_000_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1_000_000_001),
            (Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999), 999_999_999),
        ] as [(Duration, Int64)])
    func advanced(by duration: Duration, nanoseconds: Int64) {
        #expect(MonotonicInstant(nanoseconds: 1_000_000_000).advanced(by: duration).nanoseconds == nanoseconds)
    }

    @Test("Advancing one instant by the duration between two gives the other, in either direction")
    func between() {
        let (early, late) = (MonotonicInstant(nanoseconds: -5), MonotonicInstant(nanoseconds: 3_000_000_007))
        #expect(late.duration(since: early) == .nanoseconds(3_000_000_012))
        #expect(early.duration(since: late) == .nanoseconds(-3_000_000_012))
        #expect(early.advanced(by: late.duration(since: early)) == late)
        #expect(late.advanced(by: early.duration(since: late)) == early)
        #expect(late.duration(since: late) == .zero)
    }

    @Test("Instants are ordered by their nanoseconds")
    func order() {
        let instants = [3, -1, 0, 7, 3].map(MonotonicInstant.init(nanoseconds:))
        #expect(instants.sorted().map(\.nanoseconds) == [-1, 0, 3, 3, 7])
        #expect(!(instants[0] < instants[4]) && instants[0] == instants[4])
    }
}
