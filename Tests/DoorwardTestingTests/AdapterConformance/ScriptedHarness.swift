import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Synchronization

/// The harness that checks a `ScriptedAdapter`. Scripted locks do not store a bolt state, so the harness keeps track of it.
final class ScriptedHarness: AdapterHarness {
    let clock: VirtualClock
    let scripted: ScriptedAdapter
    private let state = Mutex(State())

    private struct State {
        /// The state to which the bolt was last turned by hand, and the number of commands before that.
        var manualTurn: [DeviceID: (state: LockState, commands: Int)] = [:]
        var offline: Set<DeviceID> = []
    }

    init(clock: VirtualClock, executor: SeededExecutor) {
        self.clock = clock
        scripted = ScriptedAdapter(
            clock: clock, executor: executor, behaviour: .confirm(after: .milliseconds(200)),
            capabilities: [.lock, .unlock, .jam])
    }

    var adapter: any LockAdapter { scripted }
    var capabilities: LockCapabilities { [.lock, .unlock, .jam] }

    func address(of number: Int) -> [String: JSONValue] { ["topic": .integer(Int64(number))] }

    var detectsDuplicates: Bool { true }

    var transportAddresses: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        let owners: [String: TransportOwner] = ["ours": .portfolio(PortfolioID(high: 1, low: 1)), "spare": .gateway]
        scripted.set(owners: owners)
        return (owners.sorted { $0.key < $1.key }.map { (["broker": .string($0.key)], $0.value) }, ["broker": .string("none")])
    }

    func set(_ behavior: LockBehavior, of lock: DeviceID) {
        let behaviour: ScriptedAdapter.Behaviour =
            switch behavior {
            case .prompt: .confirm(after: .milliseconds(200))
            case .late: .confirm(after: .seconds(20))
            case .silent: .silent
            case .jamming: .jam(after: .milliseconds(200))
            case .refusing: .refuse(.busy, after: .milliseconds(200))
            case .offline: .fail(.offline)
            }
        scripted.set(behaviour, for: lock)
        let wasOffline = state.withLock { state in
            defer { if behavior == .offline { state.offline.insert(lock) } else { state.offline.remove(lock) } }
            return state.offline.contains(lock)
        }
        if wasOffline != (behavior == .offline) { scripted.report(.availability(wasOffline), from: lock) }
    }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) -> Bool {
        switch stimulus {
        case .retainedReport:
            scripted.report(.state(.unlocked, quality: .retained, method: nil, operatorName: nil), from: lock)
            return true
        case .faultRaised, .faultCleared:
            scripted.report(.faults(stimulus == .faultCleared ? [] : ["tamper"]), from: lock)
            return true
        case .malformedInput: return false
        case .stateReport, .manualTurn: break
        }
        let commands = receivedCommands(at: lock) ?? []
        let (bolt, isOnline) = state.withLock { state in
            let manualTurn = state.manualTurn[lock].flatMap { $0.commands == commands.count ? $0.state : nil }
            var bolt = manualTurn ?? (commands.last == .unlock ? .unlocked : .locked)
            if stimulus == .manualTurn {
                bolt = bolt == .locked ? .unlocked : .locked
                state.manualTurn[lock] = (bolt, commands.count)
            }
            return (bolt, !state.offline.contains(lock))
        }
        if isOnline { scripted.report(bolt, method: stimulus == .manualTurn ? .manual : nil, from: lock) }
        return true
    }

    func receivedCommands(at lock: DeviceID) -> [LockOperation]? {
        scripted.sentCommands.map(\.command).filter { $0.deviceID == lock }.map(\.operation)
    }
}
