import DoorwardDomain
import Testing

@testable import DoorwardKernel

/// The rules of a trusted clock, one reading after the other.
@Suite struct ClockTrustTests {
    static let start = Timestamp(milliseconds: 1_795_248_000_000)
    static let day = Duration.seconds(86_400)

    /// A clock of which both parts are moved separately.
    struct Clocks {
        var trust: ClockTrust
        private(set) var wall: Timestamp
        private(set) var monotonic = MonotonicInstant(nanoseconds: 0)

        init(at wall: Timestamp = ClockTrustTests.start, _ stored: StoredClock? = nil) {
            self.wall = wall
            trust = ClockTrust.start(stored, .init(wall: wall, monotonic: monotonic), maxStep: .seconds(60)).0
        }

        /// Lets the time pass and steps the wall clock, then takes a reading.
        @discardableResult
        mutating func pass(_ elapsed: Duration, step: Duration = .zero) -> [ClockEvent] {
            (wall, monotonic) = (wall.advanced(by: elapsed + step), monotonic.advanced(by: elapsed))
            return trust.observe(.init(wall: wall, monotonic: monotonic))
        }

        /// The state that a process started now reads from the store.
        var stored: StoredClock { StoredClock(highWaterMark: trust.highWaterMark, unconfirmed: trust.unconfirmed) }

        mutating func accept(loweringMark: Bool = false) -> Bool {
            trust.confirm(.init(wall: wall, monotonic: monotonic), loweringMark: loweringMark)
        }
    }

    @Test("Slewing, and steps of up to 2 s, leave the clock trusted and are no event", arguments: [-2000, -500, 0, 500, 2000])
    func smallSteps(milliseconds: Int) {
        var clocks = Clocks()
        let events1 = clocks.pass(.seconds(10), step: .milliseconds(milliseconds))
        #expect(events1.isEmpty)
        #expect(clocks.trust.isTrusted)
    }

    @Test("A step back of 55 minutes ends the trust until the clock has agreed for 60 s again")
    func stepBack() {
        var clocks = Clocks()
        let before = Self.start.advanced(by: .seconds(10))
        let step = ClockStep(before: before, after: before.advanced(by: .seconds(-3300)))
        let events2 = clocks.pass(.seconds(10), step: .seconds(-3300))
        #expect(events2 == [.step(step), .lost(.belowMark)])
        #expect(clocks.trust.highWaterMark == before && clocks.trust.latest == before)
        let events3 = clocks.pass(.seconds(120))
        #expect(events3.isEmpty && clocks.trust.distrust == .belowMark)
        #expect(clocks.trust.latest == before.advanced(by: .seconds(120)))
        let events4 = clocks.pass(.seconds(1), step: .seconds(3300))
        #expect(events4.count == 1)
        #expect(clocks.trust.distrust == .agreeing)
        let events5 = clocks.pass(.milliseconds(59_999))
        #expect(events5.isEmpty)
        let events6 = clocks.pass(.milliseconds(1))
        #expect(events6 == [.regained(.agreement)])
    }

    @Test("A clock that was set back and is not corrected is trusted 60 s after it has reached the mark")
    func catchesUp() {
        var clocks = Clocks()
        clocks.pass(.seconds(10), step: .seconds(-3300))
        clocks.pass(.milliseconds(3_297_999))
        #expect(clocks.trust.distrust == .belowMark)
        clocks.pass(.milliseconds(1))
        #expect(clocks.trust.distrust == .agreeing)
        let events7 = clocks.pass(.seconds(60))
        #expect(events7 == [.regained(.agreement)])
    }

    @Test("A step back of less than the largest step ends the trust only until the clock has reached the mark")
    func shortStepBack() {
        var clocks = Clocks()
        let events8 = clocks.pass(.seconds(1), step: .seconds(-30))
        #expect(events8.contains(.lost(.belowMark)))
        let events9 = clocks.pass(.milliseconds(27_999))
        #expect(events9.isEmpty)
        let events10 = clocks.pass(.milliseconds(1))
        #expect(events10 == [.regained(.agreement)])
    }

    @Test("A step forward of up to 60 s is recorded and trusted, a longer one is not", arguments: [3, 60, 61, 86_400])
    func stepForward(seconds: Int) {
        var clocks = Clocks()
        let events = clocks.pass(.seconds(1), step: .seconds(seconds))
        #expect(events.count == (seconds > 60 ? 2 : 1))
        #expect(clocks.trust.isTrusted == (seconds <= 60))
        #expect(clocks.trust.highWaterMark == (seconds > 60 ? Self.start.advanced(by: .seconds(1)) : clocks.wall))
    }

    @Test("A step forward stays untrusted for as long as nobody confirms it, and the mark does not rise")
    func unconfirmed() {
        var clocks = Clocks()
        clocks.pass(.seconds(1), step: Self.day)
        for _ in 0..<100 {
            let events = clocks.pass(.seconds(3600))
            #expect(events.isEmpty)
        }
        #expect(clocks.trust.distrust == .steppedForward && clocks.trust.highWaterMark == Self.start.advanced(by: .seconds(1)))
        let isAccepted = clocks.accept()
        #expect(isAccepted)
        #expect(clocks.trust.isTrusted && clocks.trust.highWaterMark == clocks.wall && clocks.trust.unconfirmed == nil)
    }

    @Test("A step forward that is taken back is trusted again after 60 s of agreement")
    func takenBack() {
        var clocks = Clocks()
        clocks.pass(.seconds(1), step: Self.day)
        clocks.pass(.seconds(600), step: .zero - Self.day)
        #expect(clocks.trust.distrust == .agreeing)
        let events12 = clocks.pass(.seconds(60))
        #expect(events12 == [.regained(.agreement)])
    }

    @Test("Another step while the clock agrees begins the 60 s anew")
    func interrupted() {
        var clocks = Clocks()
        clocks.pass(.seconds(1), step: .seconds(-3300))
        clocks.pass(.seconds(1), step: .seconds(3300))
        clocks.pass(.seconds(50))
        clocks.pass(.seconds(1), step: .seconds(5))
        let events13 = clocks.pass(.milliseconds(59_999))
        #expect(events13.isEmpty && clocks.trust.distrust == .agreeing)
        let events14 = clocks.pass(.milliseconds(1))
        #expect(events14 == [.regained(.agreement)])
    }

    // MARK: Starts

    @Test(
        "A start compares the clock with the stored mark",
        arguments: [
            (Duration.seconds(-3300), ClockDistrust?.some(.belowMark)), (.milliseconds(-2001), .some(.belowMark)),
            (.seconds(-2), .none), (.zero, .none), (.seconds(89 * 86_400), .none), (.seconds(90 * 86_400), .none),
            (.milliseconds(90 * 86_400_000 + 1), .some(.steppedForward)),
        ])
    func start(gap: Duration, distrust: ClockDistrust?) {
        let reading = ClockTrust.Reading(wall: Self.start.advanced(by: gap), monotonic: MonotonicInstant(nanoseconds: 7))
        let (trust, event) = ClockTrust.start(StoredClock(highWaterMark: Self.start), reading, maxStep: .seconds(60))
        #expect(trust.distrust == distrust)
        #expect((event != nil) == (distrust != nil))
        #expect(trust.highWaterMark == (distrust == nil ? max(Self.start, reading.wall) : Self.start))
    }

    @Test("The very first start trusts the clock")
    func firstStart() { #expect(Clocks().trust.isTrusted && Clocks().trust.highWaterMark == Self.start) }

    @Test("An unconfirmed step survives restarts, until the clock is set back below it or confirmed")
    func unconfirmedOverRestarts() {
        var clocks = Clocks()
        clocks.pass(.seconds(1), step: Self.day)
        var restarted = Clocks(at: clocks.wall.advanced(by: .seconds(30)), clocks.stored)
        #expect(restarted.trust.distrust == .steppedForward)
        restarted.pass(.seconds(3600))
        #expect(restarted.trust.distrust == .steppedForward && restarted.stored == clocks.stored)
        var corrected = Clocks(at: Self.start.advanced(by: .seconds(30)), restarted.stored)
        #expect(corrected.trust.distrust == .agreeing && corrected.stored.unconfirmed != nil)
        let events15 = corrected.pass(.seconds(60))
        #expect(events15 == [.regained(.agreement)] && corrected.stored.unconfirmed == nil)
        let isAccepted = restarted.accept()
        #expect(isAccepted && restarted.stored.unconfirmed == nil)
    }

    @Test("A clock below the mark is accepted only if the mark is to be lowered")
    func lowering() {
        var clocks = Clocks(at: Self.start.advanced(by: .zero - Self.day), StoredClock(highWaterMark: Self.start))
        let isAccepted = clocks.accept()
        #expect(!isAccepted && clocks.trust.distrust == .belowMark && clocks.trust.highWaterMark == Self.start)
        let isLowered = clocks.accept(loweringMark: true)
        #expect(isLowered && clocks.trust.isTrusted && clocks.trust.highWaterMark == clocks.wall)
        let events16 = clocks.pass(.seconds(10))
        #expect(events16.isEmpty)
    }
}
