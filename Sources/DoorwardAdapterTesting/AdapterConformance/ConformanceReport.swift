/// The result of one conformance check.
public enum ConformanceOutcome: Hashable, Sendable {
    /// The adapter meets the requirement.
    case passed
    /// Locks of this kind, or their transport, do not have the feature that the check requires; the text contains the reason.
    case notApplicable(String)
    /// The adapter does not meet the requirement; the text contains the expected and the actual values.
    case failed(String)
}

/// The results of all conformance checks. Print the report to read it.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// The result of one check.
    public struct Entry: Hashable, Sendable {
        /// The requirement, as a sentence.
        public let requirement: String
        /// The result of the check.
        public let outcome: ConformanceOutcome
    }

    /// One entry for each check, in the kit's order.
    public let entries: [Entry]

    /// The requirements that the adapter meets.
    public var passed: [String] { entries.filter { $0.outcome == .passed }.map(\.requirement) }

    /// The requirements that do not apply to the adapter, each with the reason.
    public var notApplicable: [(requirement: String, reason: String)] {
        entries.compactMap { entry in
            if case .notApplicable(let reason) = entry.outcome { (entry.requirement, reason) } else { nil }
        }
    }

    /// The requirements that the adapter does not meet, each with the expected and the actual values.
    public var failed: [(requirement: String, problem: String)] {
        entries.compactMap { entry in
            if case .failed(let problem) = entry.outcome { (entry.requirement, problem) } else { nil }
        }
    }

    /// The counts in one line: `90 promises: 78 kept, 12 not applicable, 0 failed`.
    public var summary: String {
        "\(entries.count) promises: \(passed.count) kept, \(notApplicable.count) not applicable, \(failed.count) failed"
    }

    /// The counts, then a line for each requirement that is not met or not applicable.
    public var description: String {
        let lines =
            [summary] + failed.map { "failed: \($0.requirement): \($0.problem)" }
            + notApplicable.map { "not applicable: \($0.requirement): \($0.reason)" }
        return lines.joined(separator: "\n")
    }
}

extension AdapterConformance {
    /// Runs every check on a virtual clock. Each check has its own clock, executor and harness.
    ///
    /// - Parameters:
    ///   - seed: determines the order in which concurrent tasks run; the same seed gives the same run.
    ///   - makeHarness: creates a harness whose adapter and simulated locks use only this clock and this executor.
    public static func report(
        seed: UInt64 = 1,
        of makeHarness: @escaping @Sendable (_ clock: VirtualClock, _ executor: SeededExecutor) async throws -> any AdapterHarness
    ) -> ConformanceReport {
        ConformanceReport(
            entries: checks.map { conformanceCheck in
                ConformanceReport.Entry(
                    requirement: conformanceCheck.description, outcome: outcome(of: conformanceCheck, seed, makeHarness))
            })
    }

    /// Runs every check, one after the other.
    ///
    /// - Parameter check: creates a harness, runs one check with it, and closes the harness. Use this function for an adapter
    ///   with sockets or threads, whose harness cannot run on a `SeededExecutor`.
    public static func report(checking check: (ConformanceCheck) async throws -> ConformanceOutcome) async -> ConformanceReport {
        var entries: [ConformanceReport.Entry] = []
        for conformanceCheck in checks {
            let outcome: ConformanceOutcome
            do { outcome = try await check(conformanceCheck) } catch { outcome = .failed("\(error)") }
            entries.append(ConformanceReport.Entry(requirement: conformanceCheck.description, outcome: outcome))
        }
        return ConformanceReport(entries: entries)
    }

    private static func outcome(
        of conformanceCheck: ConformanceCheck, _ seed: UInt64,
        _ makeHarness: @escaping @Sendable (VirtualClock, SeededExecutor) async throws -> any AdapterHarness
    ) -> ConformanceOutcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        do {
            return try executor.run { try await conformanceCheck.check(try await makeHarness(clock, executor)) }
        } catch {
            return .failed("\(error)")
        }
    }
}
