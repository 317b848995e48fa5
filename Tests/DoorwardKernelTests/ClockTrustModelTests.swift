import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// A second implementation of the rules, which keeps the whole history of the clock and searches it at each reading.
private struct NaiveTrust {
    struct Sample {
        let wall: Int64
        let monotonic: Int64
        var isTrusted = false
    }

    var stored: (mark: Int64, before: Int64, after: Int64)?
    var samples: [Sample] = []

    private static func expected(_ sample: Sample, _ monotonic: Int64) -> Int64 { sample.wall + monotonic - sample.monotonic }

    private func step(at index: Int) -> Int64 {
        index == 0 ? 0 : samples[index].wall - Self.expected(samples[index - 1], samples[index].monotonic)
    }

    /// The highest time that the trusted clock has shown, or must have shown before it stepped.
    func mark(_ first: Int64) -> Int64 {
        var mark = first
        for (index, sample) in samples.enumerated() {
            if sample.isTrusted { mark = max(mark, sample.wall) }
            if index > 0, samples[index - 1].isTrusted {
                mark = max(mark, Self.expected(samples[index - 1], sample.monotonic))
            }
        }
        return mark
    }

    /// Whether the last sample is trusted; the earlier ones are marked.
    func isTrusted(first: Int64, unconfirmed: (before: Int64, after: Int64)?) -> Bool {
        let last = samples.count - 1
        let mark = mark(first)
        func isBelow(_ index: Int) -> Bool { samples[index].wall < mark - 2000 }
        let anchor = samples.lastIndex { $0.isTrusted }
        func isAhead(_ index: Int) -> Bool {
            if let anchor { return samples[index].wall - Self.expected(samples[anchor], samples[index].monotonic) > 60_000 }
            if let unconfirmed { return samples[index].wall >= unconfirmed.after }
            return samples[index].wall - mark > 90 * 86_400_000
        }
        if isBelow(last) || isAhead(last) { return false }
        let since = anchor.map { $0 + 1 } ?? 0
        let gap = anchor == nil ? samples[0].wall - first : 0
        let isLargeStep =
            (since...max(since, last)).contains { $0 <= last && abs(step(at: $0)) > 60_000 } || unconfirmed != nil
            || gap < -60_000
        if !isLargeStep { return true }
        // The longest run of samples up to now that agree, beginning at a step or not.
        var begin = last
        while begin > since, abs(step(at: begin)) <= 2000, !isBelow(begin - 1), !isAhead(begin - 1) { begin -= 1 }
        return samples[last].monotonic - samples[begin].monotonic >= 60_000
    }
}

@Suite struct ClockTrustModelTests {
    @Test("Over random steps and restarts, trust and mark equal those of a naive model that keeps the history", arguments: 0..<8)
    func agrees(block: UInt64) {
        var counts = (trusted: 0, untrusted: 0)
        for seed in block * 500..<(block + 1) * 500 {
            var generator = SeededGenerator(seed: seed)
            var wall: Int64 = 1_795_248_000_000
            var stored: StoredClock?
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let first = stored?.highWaterMark.milliseconds ?? wall
                let pending = stored?.unconfirmed.map { (before: $0.before.milliseconds, after: $0.after.milliseconds) }
                var monotonic: Int64 = 0
                func reading() -> ClockTrust.Reading {
                    .init(wall: Timestamp(milliseconds: wall), monotonic: MonotonicInstant(nanoseconds: monotonic * 1_000_000))
                }
                var (trust, _) = ClockTrust.start(stored, reading(), maxStep: .seconds(60))
                var naive = NaiveTrust()
                var unconfirmed = pending
                for index in 0..<40 {
                    if index > 0 {
                        let elapsed: Int64 =
                            [1, 100, 1000, 5000, 30_000, 60_000, 3_600_000].randomElement(using: &generator) ?? 1
                        monotonic += elapsed
                        wall += elapsed + Self.step(&generator)
                        _ = trust.observe(reading())
                    }
                    naive.samples.append(.init(wall: wall, monotonic: monotonic))
                    let isTrusted = stored == nil && index == 0 ? true : naive.isTrusted(first: first, unconfirmed: unconfirmed)
                    naive.samples[index].isTrusted = isTrusted
                    if isTrusted {
                        unconfirmed = nil
                    } else if unconfirmed == nil, trust.unconfirmed != nil {
                        unconfirmed = trust.unconfirmed.map { ($0.before.milliseconds, $0.after.milliseconds) }
                    }
                    guard trust.isTrusted == isTrusted, trust.highWaterMark.milliseconds == naive.mark(first) else {
                        Issue.record("seed \(seed), reading \(index): \(trust) but \(isTrusted), mark \(naive.mark(first))")
                        return
                    }
                    if isTrusted { counts.trusted += 1 } else { counts.untrusted += 1 }
                    if Int.random(in: 0..<60, using: &generator) == 0,
                        trust.confirm(reading(), loweringMark: false)
                    {
                        naive.samples[index].isTrusted = true
                        unconfirmed = nil
                    }
                }
                stored = StoredClock(highWaterMark: trust.highWaterMark, unconfirmed: trust.unconfirmed)
                wall += Self.step(&generator) + Int64.random(in: 0...100_000_000, using: &generator)
            }
        }
        #expect(counts.trusted > 5000 && counts.untrusted > 5000, "\(counts)")
    }

    private static func step(_ generator: inout SeededGenerator) -> Int64 {
        guard Int.random(in: 0..<6, using: &generator) == 0 else { return Int64.random(in: -3...3, using: &generator) }
        let sizes: [Int64] = [1500, 2000, 2001, 30_000, 60_000, 60_001, 3_300_000, 86_400_000, 90 * 86_400_000 + 5]
        return (sizes.randomElement(using: &generator) ?? 0) * (Bool.random(using: &generator) ? 1 : -1)
    }
}
