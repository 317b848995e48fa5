import DoorwardAdapterKit
import DoorwardDomain
import Synchronization

/// Records all reports as short texts with the milliseconds since the start: `UNLOCKED/REMOTE@200`.
final class ReportRecorder: ReportReceiver {
    private let clock: any GatewayClock
    private let state = Mutex<(texts: [String], reports: [LockReport])>(([], []))
    private let onReport: @Sendable (LockReport) -> Void

    init(clock: any GatewayClock, onReport: @escaping @Sendable (LockReport) -> Void = { _ in }) {
        (self.clock, self.onReport) = (clock, onReport)
    }

    func receive(_ report: LockReport) {
        state.withLock { $0.reports.append(report) }
        note(report.fact.text)
        onReport(report)
    }

    /// Adds a text that is not a report, for example an error.
    func note(_ text: String) {
        let milliseconds = clock.monotonicNow().nanoseconds / 1_000_000
        state.withLock { $0.texts.append("\(text)@\(milliseconds)") }
    }

    func forget() { state.withLock { $0 = ([], []) } }

    var texts: [String] { state.withLock { $0.texts } }
    var reports: [LockReport] { state.withLock { $0.reports } }
}

extension LockReport.Fact {
    var text: String {
        switch self {
        case .state(let state, .confirmed, let method, nil): state.rawValue + (method.map { "/\($0.rawValue)" } ?? "")
        case .state(let state, let quality, _, let name): "\(state.rawValue) \(quality.rawValue) by \(name ?? "nobody")"
        case .door(let door): "door \(door.rawValue)"
        case .battery(let level, let low): "battery \(level ?? -1)\(low == true ? " low" : "")"
        case .availability(let isOnline): isOnline.map { $0 ? "online" : "offline" } ?? "nobody knows"
        case .refusal(let cause): "refused \(cause.rawValue)"
        case .event(let event, _, _): event.rawValue
        case .settings(let settings): "relocks after \(settings.autoRelockSeconds ?? -1)"
        case .product(let product): "is \(product)"
        case .deliveredLate(let order): "late \(order)"
        case .faults(let words): "faults \(words.sorted().joined(separator: " "))"
        }
    }
}
