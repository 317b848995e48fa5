internal import Synchronization

/// What one view reads: the data of its declared needs, and nothing else. A read of anything else throws
/// `DoorwardError.undeclared`, and is kept in `undeclaredReads`, so that a test of the view can fail.
public final class LiveScope: Sendable {
    /// What the view has declared.
    public let needs: [Need]
    private let live: Live
    private let state = Mutex(State())

    private struct State {
        var cancels: [@Sendable () async -> Void] = []
        var readies: [@Sendable (Duration) async throws -> Void] = []
        var undeclared: [Need] = []
    }

    init(_ needs: [Need], _ live: Live) async {
        (self.needs, self.live) = (needs, live)
        for need in Set(needs) { await subscribe(need) }
    }

    private func subscribe(_ need: Need) async {
        switch need.type {
        case .device: await subscribe(LiveQuery<Doorward.LockDevice>(filters: need.filters))
        case .unit: await subscribe(LiveQuery<Doorward.Unit>(filters: need.filters))
        case .property: await subscribe(LiveQuery<Doorward.Property>(filters: need.filters))
        case .portfolio: await subscribe(LiveQuery<Doorward.Portfolio>(filters: need.filters))
        case .guestAccess: await subscribe(LiveQuery<Doorward.GuestAccess>(filters: need.filters))
        case .command: await subscribe(LiveQuery<Doorward.Command>(filters: need.filters))
        case .accessRecord: await subscribe(LiveQuery<Doorward.AccessRecord>(filters: need.filters))
        case .permissions: await subscribe(LiveQuery<CallerAbilities>(filters: need.filters))
        case .subscription: await subscribe(LiveQuery<LivePortfolioSubscription>(filters: need.filters))
        }
    }

    private func subscribe<Noun: LiveNoun>(_ query: LiveQuery<Noun>) async {
        let subscription = await live.subscription(query)
        state.withLock { state in
            state.cancels.append { await subscription.cancel() }
            state.readies.append { try await subscription.ready(timeout: $0) }
        }
    }

    /// Waits until the data of all needs is complete.
    ///
    /// - Throws: `DoorwardError.timedOut`, `.revoked`, or why the gateway refused.
    public func ready(timeout: Duration) async throws {
        let readies = state.withLock { $0.readies }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ready in readies { group.addTask { try await ready(timeout) } }
            try await group.waitForAll()
        }
    }

    /// The reads that no need covers, in their order.
    public var undeclaredReads: [Need] { state.withLock { $0.undeclared } }

    private func require(_ need: Need, _ isDeclared: Bool) throws {
        guard !isDeclared else { return }
        state.withLock { $0.undeclared.append(need) }
        throw DoorwardError.undeclared(need)
    }

    /// The objects of a declared query.
    public func all<Noun: LiveNoun>(_ query: LiveQuery<Noun>) async throws -> [Noun] {
        try require(query.need, needs.contains(query.need))
        return (await live.engine.objects(query) ?? [:]).values.sorted { $0.id < $1.id }
    }

    /// An object of a type that is declared.
    ///
    /// - Throws: `DoorwardError.notLoaded` if no declared query has it.
    public func require<Noun: LiveNoun>(_ id: String, _: Noun.Type = Noun.self) async throws -> Noun {
        let declared = needs.filter { $0.type == Noun.streamType }
        try require(Need(type: Noun.streamType, filters: ["id": id]), !declared.isEmpty)
        for need in declared {
            if let object = await live.engine.objects(LiveQuery<Noun>(filters: need.filters))?[id] { return object }
        }
        throw DoorwardError.notLoaded
    }

    /// Ends the subscriptions of the view. Data that another view needs stays.
    public func close() async {
        let cancels = state.withLock { state in
            defer { (state.cancels, state.readies) = ([], []) }
            return state.cancels
        }
        for cancel in cancels { await cancel() }
    }
}

/// The object of the type `subscription`: that of one portfolio.
struct LivePortfolioSubscription: LiveNoun {
    static let streamType = StreamType.subscription

    let portfolioId: String
    let tier: String
    let modules: [String: Bool]
    let limits: [String: Int]
    let usage: [String: Int]

    var id: String { portfolioId }
    var subscription: Doorward.Subscription {
        Doorward.Subscription(tier: tier, modules: modules, limits: limits, usage: usage)
    }
}
