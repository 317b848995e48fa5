import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct FloodGuardTests {
    @Test("accepts a full burst, and then the sustained rate for any length of time")
    func ordinary() {
        var flood = FloodGuard(at: instant(0))
        #expect((0..<FloodGuard.burst).allSatisfy { _ in flood.take(at: instant(0)) == .look })
        #expect((1...1000).allSatisfy { flood.take(at: instant(Int64($0) * 1000 / Int64(FloodGuard.perSecond))) == .look })
    }

    @Test("of 5,000 messages per second only burst and sustained rate are accepted, and the first dropped message is marked")
    func flooded() {
        var flood = FloodGuard(at: instant(0))
        var verdicts: [FloodGuard.Verdict] = []
        for number in 0..<50_000 as Range<Int64> { verdicts.append(flood.take(at: instant(number / 5))) }
        let looked = verdicts.count { $0 == .look }
        #expect(looked <= FloodGuard.burst + 10 * FloodGuard.perSecond)
        #expect(looked >= 10 * FloodGuard.perSecond)
        for (before, verdict) in zip(verdicts, verdicts.dropFirst()) where verdict != .look {
            #expect(verdict == .drop(isFirst: before == .look))
        }
        #expect(flood.take(at: instant(60_000)) == .look)
    }

    private func instant(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }
}
