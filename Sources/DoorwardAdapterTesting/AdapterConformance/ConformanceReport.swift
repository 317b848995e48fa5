/// What a check of one promise has come to.
public enum ConformanceOutcome: Hashable, Sendable {
    /// The adapter does what it promises.
    case kept
    /// The promise is about something that locks of this kind, or their transport, lack; the text says what.
    case notApplicable(String)
    /// The adapter does something else; the text says what was expected and what was found.
    case failed(String)
}

/// What the checks of all promises have come to, for a test and for people: print it.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// One promise and what came of it.
    public struct Entry: Hashable, Sendable {
        /// The promise as a sentence.
        public let promise: String
        /// What its check has come to.
        public let outcome: ConformanceOutcome
    }

    /// One for each promise, in the kit's order.
    public let entries: [Entry]

    /// The promises that the adapter keeps.
    public var kept: [String] { entries.filter { $0.outcome == .kept }.map(\.promise) }

    /// The promises that do not apply to the adapter, each with the reason.
    public var notApplicable: [(promise: String, reason: String)] {
        entries.compactMap { entry in
            if case .notApplicable(let reason) = entry.outcome { (entry.promise, reason) } else { nil }
        }
    }

    /// The promises that the adapter breaks, each with what was found.
    public var failed: [(promise: String, problem: String)] {
        entries.compactMap { entry in
            if case .failed(let problem) = entry.outcome { (entry.promise, problem) } else { nil }
        }
    }

    /// The counts in one line: `90 promises: 78 kept, 12 not applicable, 0 failed`.
    public var summary: String {
        "\(entries.count) promises: \(kept.count) kept, \(notApplicable.count) not applicable, \(failed.count) failed"
    }

    /// The counts, then a line for each promise that is not kept.
    public var description: String {
        let lines =
            [summary] + failed.map { "failed: \($0.promise): \($0.problem)" }
            + notApplicable.map { "not applicable: \($0.promise): \($0.reason)" }
        return lines.joined(separator: "\n")
    }
}

extension AdapterConformance {
    /// Checks every promise on a virtual clock, each with a clock, an executor and a harness of its own.
    ///
    /// - Parameters:
    ///   - seed: chooses the order in which concurrent work runs: the same seed gives the same run again.
    ///   - makeHarness: makes a harness whose adapter, and whatever plays its locks, run on this clock and this executor alone.
    public static func report(
        seed: UInt64 = 1,
        of makeHarness: @escaping @Sendable (_ clock: VirtualClock, _ executor: SeededExecutor) async throws -> any AdapterHarness
    ) -> ConformanceReport {
        ConformanceReport(
            entries: promises.map { promise in
                ConformanceReport.Entry(promise: promise.description, outcome: outcome(of: promise, seed, makeHarness))
            })
    }

    /// Checks every promise, one after the other.
    ///
    /// - Parameter check: checks one with a harness of its own, and ends that: for an adapter with sockets or threads, whose
    ///   harness cannot run on a `SeededExecutor`.
    public static func report(checking check: (ConformanceCheck) async throws -> ConformanceOutcome) async -> ConformanceReport {
        var entries: [ConformanceReport.Entry] = []
        for promise in promises {
            let outcome: ConformanceOutcome
            do { outcome = try await check(promise) } catch { outcome = .failed("\(error)") }
            entries.append(ConformanceReport.Entry(promise: promise.description, outcome: outcome))
        }
        return ConformanceReport(entries: entries)
    }

    private static func outcome(
        of promise: ConformanceCheck, _ seed: UInt64,
        _ makeHarness: @escaping @Sendable (VirtualClock, SeededExecutor) async throws -> any AdapterHarness
    ) -> ConformanceOutcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        do {
            return try executor.run { try await promise.check(try await makeHarness(clock, executor)) }
        } catch {
            return .failed("\(error)")
        }
    }
}
