import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct RateLimiterTests {
    @Test("accepts a full burst, and then the sustained rate for any length of time")
    func sustained() {
        var limiter = RateLimiter(at: instant(0))
        #expect((0..<RateLimiter.burst).allSatisfy { _ in limiter.admit(at: instant(0)) == .accept })
        #expect(
            (1...1000).allSatisfy { limiter.admit(at: instant(Int64($0) * 1000 / Int64(RateLimiter.refillPerSecond))) == .accept }
        )
    }

    @Test("of 5,000 messages per second only burst and sustained rate are accepted, and the first dropped message is marked")
    func exceeded() {
        var limiter = RateLimiter(at: instant(0))
        var decisions: [RateLimiter.Decision] = []
        for number in 0..<50_000 as Range<Int64> { decisions.append(limiter.admit(at: instant(number / 5))) }
        let accepted = decisions.count { $0 == .accept }
        #expect(accepted <= RateLimiter.burst + 10 * RateLimiter.refillPerSecond)
        #expect(accepted >= 10 * RateLimiter.refillPerSecond)
        for (before, decision) in zip(decisions, decisions.dropFirst()) where decision != .accept {
            #expect(decision == .drop(isFirst: before == .accept))
        }
        #expect(limiter.admit(at: instant(60_000)) == .accept)
    }

    private func instant(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }
}
