internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// A harness at work: locks by their numbers, and what was heard of them.
struct ConformanceRun: Sendable {
    let harness: any AdapterHarness
    let heard: AdapterListener
    private let commands = CommandNumbers()

    var adapter: any LockAdapter { harness.adapter }

    /// Starts the adapter with so many locks attached, numbered from 0, and forgets what they say at first.
    ///
    /// - Parameter onReport: called with every report, from inside `receive`.
    init(
        _ harness: any AdapterHarness, locks: Int = 1, onReport: @escaping @Sendable (LockReport) -> Void = { _ in }
    ) async throws {
        self.harness = harness
        heard = AdapterListener(onReport)
        try await adapter.start(reports: heard)
        for number in 0..<locks { attach(number) }
        try await pass(harness.promptTime)
        heard.forget()
    }

    static func id(_ number: Int) -> DeviceID { DeviceID(high: 0xADA9_7E12, low: UInt64(number)) }

    func attach(_ number: Int, as address: [String: JSONValue]? = nil) {
        adapter.attach(AttachedLock(id: Self.id(number), address: address ?? harness.address(of: number)))
    }

    func detach(_ number: Int) { adapter.detach(Self.id(number)) }

    func set(_ manner: LockBehavior, of number: Int) async throws { try await harness.set(manner, of: Self.id(number)) }

    /// - Returns: false where locks of this kind have no such thing.
    func happen(_ event: LockStimulus, at number: Int) async throws -> Bool {
        try await harness.happen(event, at: Self.id(number))
    }

    func pass(_ time: Duration) async throws { try await harness.pass(time) }

    // MARK: Orders

    /// The movements that these locks can do.
    var movements: [LockOperation] {
        LockOperation.movements.filter { $0.requiredCapability.map(harness.capabilities.contains) ?? true }
    }

    /// A movement that takes the lock from where it begins, locked.
    var opening: LockOperation { movements.contains(.unlock) ? .unlock : .unlatch }

    /// - Parameter command: one that no other order has, unless another is given.
    func send(
        _ operation: LockOperation, to number: Int, deadline: Timestamp? = nil, command: CommandID? = nil
    ) throws(AdapterError) {
        try adapter.send(
            LockCommand(
                commandID: command ?? commands.next(), deviceID: Self.id(number), operation: operation,
                deadline: deadline ?? harness.clock.now().advanced(by: .seconds(10))))
    }

    /// - Returns: what `send` threw, or `nil`.
    func failure(of operation: LockOperation, to number: Int, deadline: Timestamp? = nil) -> AdapterError? {
        do { try send(operation, to: number, deadline: deadline) } catch { return error }
        return nil
    }

    /// - Returns: what `refresh` threw, or `nil`.
    func refreshFailure(_ number: Int) -> AdapterError? {
        do { try adapter.refresh(Self.id(number)) } catch { return error }
        return nil
    }

    /// Sends, lets the lock move, and requires that it says so.
    func carryOut(_ operation: LockOperation, by number: Int) async throws {
        let before = heard.restingStates(of: number).count
        try send(operation, to: number)
        try await pass(harness.promptTime)
        try require(
            Array(heard.restingStates(of: number).dropFirst(before).prefix(1)), is: [operation.rest],
            "what lock \(number) confirms")
    }

    // MARK: What must be so

    /// Requires that an order to a lock that cannot be reached is not taken: `send` throws, or the transport answers later and the
    /// adapter reports a refusal within `promptTime`.
    func requireRefusal(of operation: LockOperation, by number: Int) async throws {
        let refusals = heard.refusals(of: number)
        if let failure = failure(of: operation, to: number) {
            return try require(failure == .offline || failure == .transportBusy, "an order throws \(failure)")
        }
        try await pass(harness.promptTime)
        try require(heard.refusals(of: number), is: refusals + 1, "the refusals of an order that cannot reach its lock")
    }

    /// Requires that the lock stands where the last of these orders left it, or locked, and got no other.
    func requireOrders(_ orders: [LockOperation], at number: Int, _ occasion: String) async throws {
        if let found = await harness.orders(at: Self.id(number)) {
            try require(found, is: orders, "the orders that arrived at lock \(number) \(occasion)")
        }
        guard try await happen(.speaks, at: number) else { return }
        try await pass(harness.promptTime)
        guard let state = heard.restingStates(of: number).last else { return }
        let expected = orders.last?.rest ?? .locked
        // The latch springs back by itself.
        let isThere = state == expected || expected == .unlatched && state == .unlocked
        try require(isThere, "lock \(number) is \(state.rawValue) \(occasion), not \(expected.rawValue)")
    }

    /// Requires that nothing is heard of the lock.
    func requireNoReports(of number: Int, _ occasion: String) throws {
        try require(heard.facts(of: number).isEmpty, "lock \(number) is heard \(occasion): \(heard.facts(of: number))")
    }
}

/// Gives each order a command of its own, on whatever thread it is given.
private final class CommandNumbers: Sendable {
    private let count = Mutex<UInt64>(0)

    func next() -> CommandID {
        count.withLock { count in
            count += 1
            return CommandID(high: 0xC0, low: count)
        }
    }
}

extension LockOperation {
    /// Where the bolt rests when this has been done.
    var rest: LockState {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .unlatch: .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: .unknown
        }
    }
}
