internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// Records all reports of an adapter.
final class ReportRecorder: ReportReceiver {
    private let recorded = Mutex<[LockReport]>([])
    private let onReport: @Sendable (LockReport) -> Void

    init(_ onReport: @escaping @Sendable (LockReport) -> Void = { _ in }) { self.onReport = onReport }

    func receive(_ report: LockReport) {
        recorded.withLock { $0.append(report) }
        onReport(report)
    }

    func forget() { recorded.withLock { $0 = [] } }

    var reports: [LockReport] { recorded.withLock { $0 } }

    func facts(of number: Int) -> [LockReport.Fact] {
        reports.filter { $0.deviceID == ConformanceRun.id(number) }.map(\.fact)
    }

    /// All states that the lock reported live, in order, with their methods.
    func states(of number: Int) -> [(state: LockState, method: EventMethod?)] {
        facts(of: number).compactMap {
            if case .state(let state, .confirmed, let method, _) = $0 { (state, method) } else { nil }
        }
    }

    /// The locked, unlocked and unlatched states that the lock reported live.
    func restingStates(of number: Int) -> [LockState] {
        states(of: number).map(\.state).filter { [.locked, .unlocked, .unlatched].contains($0) }
    }

    func availabilities(of number: Int) -> [Bool?] {
        facts(of: number).compactMap { if case .availability(let isOnline) = $0 { .some(isOnline) } else { nil } }
    }

    /// The reported sets of faults, in order.
    func faults(of number: Int) -> [Set<String>] {
        facts(of: number).compactMap { if case .faults(let codes) = $0 { codes } else { nil } }
    }

    /// The settings that the lock reported, each with the command that the report follows.
    func settings(of number: Int) -> [(settings: LockSettings, after: CommandID?)] {
        reports.filter { $0.deviceID == ConformanceRun.id(number) }.compactMap {
            if case .settings(let settings) = $0.fact { (settings, $0.after) } else { nil }
        }
    }

    func refusals(of number: Int) -> Int {
        facts(of: number).count { if case .refusal = $0 { true } else { false } }
    }
}
