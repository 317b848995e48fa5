import DoorwardAdapterKit
import DoorwardDomain
import Synchronization

/// Records everything that an adapter reports.
final class ReportLog: ReportReceiver {
    private let recorded = Mutex<[LockReport]>([])

    func receive(_ report: LockReport) { recorded.withLock { $0.append(report) } }

    func facts(of lock: DeviceID) -> [LockReport.Fact] {
        recorded.withLock { $0 }.filter { $0.deviceID == lock }.map(\.fact)
    }

    /// Returns the reported fault sets, in order. Each contains all faults of the lock.
    func faults(of lock: DeviceID) -> [Set<String>] {
        facts(of: lock).compactMap { if case .faults(let words) = $0 { words } else { nil } }
    }

    /// Returns the reported states and their quality, in order.
    func states(of lock: DeviceID) -> [StateReport] {
        facts(of: lock).compactMap {
            if case .state(let state, let quality, _, _) = $0 { StateReport(state, quality) } else { nil }
        }
    }

    struct StateReport: Equatable {
        let state: LockState
        let quality: StateQuality

        init(_ state: LockState, _ quality: StateQuality) { (self.state, self.quality) = (state, quality) }
    }
}
