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
        var turned: [DeviceID: (state: LockState, orders: Int)] = [:]
        var away: Set<DeviceID> = []
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

    var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        let owners: [String: TransportOwner] = ["ours": .portfolio(PortfolioID(high: 1, low: 1)), "spare": .gateway]
        scripted.set(owners: owners)
        return (owners.sorted { $0.key < $1.key }.map { (["broker": .string($0.key)], $0.value) }, ["broker": .string("none")])
    }

    func set(_ manner: LockBehavior, of lock: DeviceID) {
        let behaviour: ScriptedAdapter.Behaviour =
            switch manner {
            case .prompt: .confirm(after: .milliseconds(200))
            case .late: .confirm(after: .seconds(20))
            case .silent: .silent
            case .jamming: .jam(after: .milliseconds(200))
            case .refusing: .refuse(.busy, after: .milliseconds(200))
            case .away: .fail(.offline)
            }
        scripted.set(behaviour, for: lock)
        let wasAway = state.withLock { state in
            defer { if manner == .away { state.away.insert(lock) } else { state.away.remove(lock) } }
            return state.away.contains(lock)
        }
        if wasAway != (manner == .away) { scripted.report(.availability(wasAway), from: lock) }
    }

    func happen(_ event: LockStimulus, at lock: DeviceID) -> Bool {
        switch event {
        case .repeatedFromBefore:
            scripted.report(.state(.unlocked, quality: .retained, method: nil, operatorName: nil), from: lock)
            return true
        case .tampered, .calmed:
            scripted.report(.faults(event == .calmed ? [] : ["tamper"]), from: lock)
            return true
        case .rubbish: return false
        case .speaks, .turnedByHand: break
        }
        let orders = orders(at: lock) ?? []
        let (bolt, isHeard) = state.withLock { state in
            let turned = state.turned[lock].flatMap { $0.orders == orders.count ? $0.state : nil }
            var bolt = turned ?? (orders.last == .unlock ? .unlocked : .locked)
            if event == .turnedByHand {
                bolt = bolt == .locked ? .unlocked : .locked
                state.turned[lock] = (bolt, orders.count)
            }
            return (bolt, !state.away.contains(lock))
        }
        if isHeard { scripted.report(bolt, method: event == .turnedByHand ? .manual : nil, from: lock) }
        return true
    }

    func orders(at lock: DeviceID) -> [LockOperation]? {
        scripted.orders.map(\.order).filter { $0.deviceID == lock }.map(\.operation)
    }
}
