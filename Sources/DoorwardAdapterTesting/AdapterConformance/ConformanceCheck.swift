internal import DoorwardAdapterKit
public import DoorwardDomain

/// One requirement of `LockAdapter`, and its check.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let description: String
    private let body: @Sendable (any AdapterHarness) async throws -> Void

    init(_ description: String, check body: @escaping @Sendable (any AdapterHarness) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    /// Creates a check of an adapter that has been started and has this many locks.
    init(_ description: String, locks: Int, check body: @escaping @Sendable (ConformanceRun) async throws -> Void) {
        self.init(description) { harness in try await body(ConformanceRun(harness, locks: locks)) }
    }

    /// Runs the check with a new harness.
    ///
    /// - Returns: `.passed`, or `.notApplicable` if locks of this kind, or their transport, do not
    ///   have the feature that the check requires.
    /// - Throws: `ConformanceFailure`, or an unexpected error of the adapter or the harness.
    @discardableResult
    public func check(_ harness: any AdapterHarness) async throws -> ConformanceOutcome {
        do {
            try await body(harness)
            return .passed
        } catch let cause as NotApplicable {
            return .notApplicable(cause.reason)
        }
    }
}

/// The checks that apply to adapters of any kind. A test runs each check with its own harness, usually on a `SeededExecutor`.
public enum AdapterConformance {
    /// All checks. A check is not applicable if locks of the adapter's kind do not have the feature that the check requires.
    public static let checks: [ConformanceCheck] =
        addressChecks + fieldChecks + endpointChecks + lifecycleChecks + restartChecks + attachChecks + commandChecks
        + settingsChecks + responseChecks + faultChecks + transportChecks + reportChecks + fleetChecks + discoveryChecks

    /// Returns the number of the lock with this id, for `AdapterHarness.address(of:)`.
    public static func number(of lock: DeviceID) -> Int { Int(truncatingIfNeeded: lock.low) }

    /// The default of `promptTime`: the maximum time until a prompt lock has moved and its adapter has reported the movement.
    public static let prompt = Duration.seconds(2)
    /// The default of `lateTime`: the maximum time until a late lock has confirmed a command.
    public static let late = Duration.seconds(60)
    /// The time that a check waits for reports and commands that the adapter may have delayed.
    static let settlingTime = Duration.seconds(1800)
}

/// A violated requirement of an adapter or a store.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expected and the actual values, as one line of a test report.
    public let description: String

    package init(_ description: String) { self.description = description }
}

/// - Throws: `ConformanceFailure` with both values if they differ.
package func require<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws {
    guard found == expected else { throw ConformanceFailure("\(what): found \(found), expected \(expected)") }
}

/// - Throws: `ConformanceFailure` unless the condition holds.
package func require(_ condition: Bool, _ what: String) throws {
    guard condition else { throw ConformanceFailure(what) }
}

/// The reason why a check does not apply to an adapter: a feature that the adapter's locks or transport do not have.
struct NotApplicable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The stimulus is not possible at locks of this kind.
    init(_ stimulus: LockStimulus) {
        reason =
            switch stimulus {
            case .stateReport: "locks of this kind send no reports of their own"
            case .manualTurn: "locks of this kind cannot be turned by hand"
            case .retainedReport: "the transport retains no reports"
            case .malformedInput: "no malformed input can arrive"
            case .faultRaised, .faultCleared: "locks of this kind report no faults"
            }
    }

    static let transport = NotApplicable("there is no transport between the adapter and its locks that could be disconnected")
    static let transportAddresses = NotApplicable("the adapter has no transports that belong to a tenant")
    static let discovery = NotApplicable("locks of this kind cannot be discovered")
    static let limited = NotApplicable("all locks of this kind have the same capabilities")
    static let settings = NotApplicable("the settings of locks of this kind cannot be changed through the gateway")
    static let fields = NotApplicable("addresses of this adapter have no such field")
}

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

        init(_ check: ConformanceCheck, _ result: Result<ConformanceOutcome, any Error>) {
            requirement = check.description
            do { outcome = try result.get() } catch { outcome = .failed("\(error)") }
        }
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
            entries: checks.map { check in
                let clock = VirtualClock()
                let executor = SeededExecutor(seed: seed, clock: clock)
                return ConformanceReport.Entry(
                    check, Result { try executor.run { try await check.check(try await makeHarness(clock, executor)) } })
            })
    }

    /// Runs every check, one after the other.
    ///
    /// - Parameter check: creates a harness, runs one check with it, and closes the harness. Use this function for an adapter
    ///   with sockets or threads, whose harness cannot run on a `SeededExecutor`.
    public static func report(checking check: (ConformanceCheck) async throws -> ConformanceOutcome) async -> ConformanceReport {
        var entries: [ConformanceReport.Entry] = []
        for conformanceCheck in checks {
            do {
                entries.append(ConformanceReport.Entry(conformanceCheck, .success(try await check(conformanceCheck))))
            } catch {
                entries.append(ConformanceReport.Entry(conformanceCheck, .failure(error)))
            }
        }
        return ConformanceReport(entries: entries)
    }
}
