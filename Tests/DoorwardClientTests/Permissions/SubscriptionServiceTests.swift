import DoorwardClientTesting
import Testing

@testable import DoorwardClient

extension Doorward.Subscription {
    /// The tiers as a gateway ships them, and one that this library does not know.
    static let tiers: [Doorward.Subscription] = [
        tier("free", [], limits: ["maxUnits": 5], usage: ["units": 3]),
        tier("standard", [.guestAccess, .recurringSchedules, .guestLinks, .bulkOperations, .accessLogExport, .webhooks]),
        tier("pro", Doorward.Module.known), tier("enterprise", Doorward.Module.known),
        tier("gold", [.guestLinks, "holograms"], limits: ["maxDragons": 2], usage: ["dragons": 2]),
    ]

    private static func tier(
        _ name: String, _ modules: [Doorward.Module], limits: [String: Int] = [:], usage: [String: Int] = [:]
    ) -> Self {
        let flags = Dictionary(
            uniqueKeysWithValues: Set(Doorward.Module.known + modules).map { ($0.rawValue, modules.contains($0)) })
        return Self(tier: name, modules: flags, limits: limits, usage: usage)
    }
}

@Suite @MainActor struct SubscriptionServiceTests {
    let source = StubSource()
    let clock = VirtualLiveClock()

    private func service(_ permissions: MockPermissionProvider? = nil) -> SubscriptionService {
        source.set { state in
            for tier in Doorward.Subscription.tiers { state.subscriptions[tier.tier] = tier }
        }
        return SubscriptionService(source: source, clock: clock, permissions: permissions)
    }

    @Test func nothingLoadedMeansNo() {
        let service = service()
        #expect(!service.isFeatureAvailable(.guestAccess) && !service.isWithinLimit(.units))
        #expect(service.usage(of: .units) == nil && service.missingFeature(.guestAccess) == nil)
    }

    /// Each tier behaves by its flags, whatever its name.
    @Test func everyTierBehavesByItsFlags() async throws {
        let service = service()
        for tier in Doorward.Subscription.tiers {
            try await service.select(portfolio: tier.tier)
            for module in Doorward.Module.known + ["holograms", "unheardOf"] {
                #expect(
                    service.isFeatureAvailable(module) == (tier.modules[module.rawValue] ?? false), "\(tier.tier) \(module)")
            }
        }
    }

    @Test func limitsCountWhatIsUsed() async throws {
        let service = service()
        try await service.select(portfolio: "free")
        #expect(service.usage(of: .units)! == (3, 5))  // The subscription is loaded.
        #expect(service.isWithinLimit(.units) && service.isWithinLimit(.units, currentCount: 4))
        #expect(!service.isWithinLimit(.units, currentCount: 5) && !service.isWithinLimit(.units, currentCount: 9))
        #expect(service.isWithinLimit(.devices, currentCount: 1_000_000), "an absent limit does not apply")
        try await service.select(portfolio: "gold")
        #expect(!service.isWithinLimit("maxDragons"), "a limit that this library does not know")
    }

    @Test func aSubscriptionIsKeptForFiveMinutes() async throws {
        let service = service()
        try await service.select(portfolio: "free")
        try await service.select(portfolio: "pro")
        try await service.select(portfolio: "free")
        #expect(source.requests == ["subscription free", "subscription pro"])
        clock.advance(by: .seconds(300))
        try await service.select(portfolio: "pro")
        #expect(source.requests.count == 3)
        try await service.refresh()
        #expect(source.requests.count == 4)
    }

    @Test func aSwitchNeverShowsTheOtherPortfolio() async throws {
        let service = service()
        try await service.select(portfolio: "pro")
        await #expect(throws: DoorwardError.self) { try await service.select(portfolio: "foreign") }
        #expect(service.subscription == nil && !service.isFeatureAvailable(.guestLinks))
        try await service.select(portfolio: nil)
        #expect(service.subscription == nil)
    }

    @Test func signingOutAndInvalidatingDropTheCache() async throws {
        let service = service()
        try await service.select(portfolio: "pro")
        service.invalidate(portfolio: "pro")
        #expect(!service.isFeatureAvailable(.guestLinks))
        try await service.select(portfolio: "pro")
        #expect(source.requests.count == 2)
        service.clear()
        #expect(service.selectedPortfolioID == nil && service.subscription == nil)
        try await service.select(portfolio: "pro")
        #expect(source.requests.count == 3)
    }

    /// The read is of the person who has signed out, or older than what the gateway has sent.
    @Test(arguments: [true, false]) func aReadThatIsOutOfDateIsIgnored(signsOut: Bool) async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let slow = SlowSource(gate: gate)
        let service = SubscriptionService(source: slow, clock: clock)
        let reading = Task { try await service.select(portfolio: "p") }
        await slow.hasBegun()
        let free = Doorward.Subscription.tiers[0]
        if signsOut { service.clear() } else { service.apply(free, of: "p") }
        open.finish()
        try await reading.value
        #expect(service.subscription == (signsOut ? nil : free))
        if signsOut {
            service.apply(free, of: "q")
            #expect(service.subscription == nil)
            try await service.select(portfolio: "p")
            #expect(service.subscription == Doorward.Subscription.tiers[2], "read again, not taken from before")
        }
    }

    @Test func aMissingModuleSaysWhoCanChangeIt() async throws {
        let permissions = MockPermissionProvider()
        let service = service(permissions)
        try await service.select(portfolio: "free")
        let prompt = service.missingFeature(.guestLinks)
        #expect(prompt == MissingFeature(module: .guestLinks, tier: "free", canChangeSubscription: false))
        permissions.setPermission(.subscriptionChange, .portfolio, allowed: true)
        #expect(service.missingFeature(.guestLinks)?.canChangeSubscription == true)
        try await service.select(portfolio: "pro")
        #expect(service.missingFeature(.guestLinks) == nil)
    }

    @Test func theStreamReplacesTheSubscriptionOfThePortfolioOnly() async throws {
        let service = service()
        try await service.select(portfolio: "free")
        let changes = Changes { _ = service.isFeatureAvailable(.guestLinks) }
        service.apply(Doorward.Subscription.tiers[2], of: "pro")
        service.apply(Doorward.Subscription.tiers[0], of: "free")
        #expect(changes.count == 0)
        service.apply(Doorward.Subscription.tiers[1], of: "free")
        #expect(changes.count == 1 && service.isFeatureAvailable(.guestLinks))
    }
}
