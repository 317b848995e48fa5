import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization

/// An open channel on a virtual clock, with a recorder of its reports.
final class ChannelFixture: ReportReceiver {
    let clock: VirtualClock
    let executor: SeededExecutor
    let channel: LockChannel
    private let state = Mutex(State())

    private struct State {
        var reports: [LockReport] = []
        var notes: [String] = []
        var onReport: (@Sendable (LockReport) -> Void)?
    }

    static let device = DeviceID(high: 1, low: 1)

    private init(clock: VirtualClock, executor: SeededExecutor) {
        (self.clock, self.executor) = (clock, executor)
        channel = LockChannel(Self.device, clock: clock, executor: executor)
    }

    static func run(_ body: @escaping @Sendable (ChannelFixture) async throws -> Void) throws {
        for seed in UInt64(1)...5 {
            let clock = VirtualClock()
            let executor = SeededExecutor(seed: seed, clock: clock)
            try executor.run {
                let fixture = ChannelFixture(clock: clock, executor: executor)
                fixture.channel.open(to: fixture)
                try await body(fixture)
                fixture.channel.close()
            }
        }
    }

    func receive(_ report: LockReport) {
        let onReport = state.withLock { state in
            state.reports.append(report)
            return state.onReport
        }
        onReport?(report)
    }

    func onReport(_ body: @escaping @Sendable (LockReport) -> Void) { state.withLock { $0.onReport = body } }

    /// The reports in short form: the state, and the number of the command after which it was reported.
    var reportTexts: [String] {
        state.withLock { $0.reports }.map { report in
            let fact =
                switch report.fact {
                case .state(let state, _, _, _): state.rawValue
                case .refusal(let cause): cause.rawValue
                default: "\(report.fact)"
                }
            return "\(fact) \(report.after.map { "\($0.low)" } ?? "-")"
        }
    }

    /// Records a step with the seconds since the start, for tests that check the order of steps.
    func note(_ text: String) {
        state.withLock { $0.notes.append("\(text) at \(clock.monotonicNow().nanoseconds / 1_000_000_000)") }
    }

    var notes: [String] { state.withLock { $0.notes } }

    func advance(by time: Duration) async throws {
        try await clock.sleep(until: clock.monotonicNow().advanced(by: time + .nanoseconds(1)))
    }

    func command(_ number: UInt64, deadline: Duration = .seconds(10)) -> LockCommand {
        LockCommand(
            commandID: Self.commandID(number), deviceID: Self.device, operation: .unlock,
            deadline: clock.now().advanced(by: deadline))
    }

    /// Sends a command that the transport accepts, and records when it is given up.
    func send(_ number: UInt64, deadline: Duration = .seconds(10)) throws(AdapterError) {
        try channel.send(command(number, deadline: deadline), onGivenUp: { [weak self] in self?.note("gave up \(number)") }) {}
    }

    /// - Returns: whether the answer was reported.
    @discardableResult
    func answer(_ number: UInt64?, _ state: LockState) -> Bool {
        channel.answer(number.map(Self.commandID), [Self.fact(state)])
    }

    func report(_ state: LockState) { channel.report([Self.fact(state)]) }

    static func commandID(_ number: UInt64) -> CommandID { CommandID(high: 0, low: number) }

    static func fact(_ state: LockState) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: nil, operatorName: nil)
    }
}
