import DoorwardDomain
import DoorwardKernel
import DoorwardTesting
import Testing

@testable import DoorwardStreams

/// What is kept of streams that have ended, and what it costs.
@Suite struct EndedStreamsTests {
    private let principal = Principal.user(UserID(high: 0x7000, low: 1 << 63))

    @Test("a storm of 4,000 streams that end looks at each of them a bounded number of times", arguments: [1_000, 4_000])
    func storm(streams: Int) {
        let clock = VirtualClock()
        var (ended, seen) = (EndedStreams(maxObjects: 1_000_000), 0)
        for number in 1...UInt64(streams) {
            seen += ended.add(number, StreamMirror(), of: principal, at: clock.monotonicNow())
            seen += ended.forget(before: clock.monotonicNow())
        }
        #expect(ended.count == streams && seen <= 3 * streams)
        #expect(ended[1] != nil && ended[UInt64(streams)] != nil && ended[UInt64(streams) + 1] == nil)
        // All of them are forgotten at once, each with one look.
        let last = ended.forget(before: clock.monotonicNow().advanced(by: .seconds(1)))
        #expect(last == streams)
        #expect(ended.count == 0 && ended.objectCount == 0)
    }

    @Test("streams that ended before a time are forgotten, and no later one")
    func time() {
        let start = VirtualClock().monotonicNow()
        var ended = EndedStreams(maxObjects: 10)
        for number in 1...9 as ClosedRange<UInt64> {
            ended.add(10 - number, StreamMirror(), of: principal, at: start.advanced(by: .seconds(Int64(number))))
        }
        ended.forget(before: start.advanced(by: .seconds(5)))
        #expect((1...9).filter { ended[$0] != nil } == [1, 2, 3, 4, 5])
    }

    @Test("of streams with too many objects, those that ended first are forgotten")
    func objects() throws {
        let now = VirtualClock().monotonicNow()
        var mirror = StreamMirror()
        let isPut = mirror.put(StreamName(name: "c", query: .units(PropertyID(high: 1, low: 1), nil), text: "c"))
        #expect(isPut)
        for number in 1...3 as ClosedRange<UInt64> {
            mirror.recordSentCommand(StreamObject(.unit, UnitID(high: 1, low: number)), [1], under: "c")
        }
        try #require(mirror.objectCount == 3)
        var ended = EndedStreams(maxObjects: 7)
        for number in [5, 2, 9, 4] as [UInt64] { ended.add(number, mirror, of: principal, at: now) }
        #expect(ended.objectCount == 6 && (1...9).filter { ended[$0] != nil } == [4, 9])
        // One stream alone that has more is not kept either.
        var small = EndedStreams(maxObjects: 2)
        small.add(1, mirror, of: principal, at: now)
        #expect(small.count == 0 && small.objectCount == 0)
    }
}
