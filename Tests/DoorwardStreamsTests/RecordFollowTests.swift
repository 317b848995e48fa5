import DoorwardDomain
import DoorwardKernel
import Testing

@testable import DoorwardStreams

/// The positions of a stream in the logs.
@Suite struct RecordFollowTests {
    private let log = LogID.portfolio(PortfolioID(high: 1, low: 1))
    private let other = LogID.portfolio(PortfolioID(high: 1, low: 2))

    private func positions(_ next: UInt64) -> LogPositions {
        LogPositions(
            entries: [.init(log: log.shortened, next: next)], latest: Timestamp(milliseconds: 0), isComplete: true)
    }

    @Test("a resumed position counts for the first reading of a log, and not after its right has ended and begun again")
    func resumedOnce() {
        var follow = RecordFollow(resumed: positions(5))
        #expect(follow.resumed(for: log)?.next(in: log) == 5)
        #expect(follow.positions(isComplete: true).next(in: log) == 5, "before the first reading")
        follow.update(readable: [log, other], starts: [log: 5, other: 0])
        follow.advance(log, to: 9, at: nil)
        #expect(follow.positions(isComplete: true).next(in: log) == 9)
        follow.update(readable: [other], starts: [:])
        #expect(follow.next[log] == nil)
        #expect(follow.resumed(for: log) == nil, "the records from 5 to 8 were sent")
        follow.update(readable: [], starts: [:])
        #expect(follow.positions(isComplete: true).next(in: log) == nil, "the old position would send them again")
        follow.update(readable: [log], starts: [log: 12])
        #expect(follow.next[log] == 12 && follow.dirty == [log])
    }

    @Test("a stream that was not resumed begins where it is told, and what is not readable is not followed")
    func fresh() {
        var follow = RecordFollow(resumed: nil)
        #expect(follow.resumed(for: log) == nil)
        follow.update(readable: [log], starts: [log: 3, other: 4])
        #expect(follow.next == [log: 3])
        #expect(!follow.markDirty(other) && follow.markDirty(log))
        follow.advance(log, to: 2, at: nil)
        #expect(follow.next[log] == 3, "a position never moves back")
    }
}
