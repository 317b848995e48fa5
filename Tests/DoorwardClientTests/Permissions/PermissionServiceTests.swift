import DoorwardClientTesting
import Logging
import Observation
import Synchronization
import Testing

@testable import DoorwardClient

/// Counts how often something observed has changed.
@MainActor final class Changes {
    private final class Counter: Sendable { let state = Mutex((count: 0, isOutdated: false)) }

    private let counter = Counter()
    private let read: @MainActor () -> Void

    var count: Int { counter.state.withLock { $0.count } }

    init(_ read: @escaping @MainActor () -> Void) {
        self.read = read
        track()
    }

    private func track() {
        withObservationTracking {
            read()
        } onChange: { [counter] in
            counter.state.withLock { $0 = ($0.count + 1, true) }
        }
    }

    /// Observes again after a change, as a view does that is drawn again.
    func redraw() {
        let isOutdated = counter.state.withLock { state in
            defer { state.isOutdated = false }
            return state.isOutdated
        }
        if isOutdated { track() }
    }
}

@Suite @MainActor struct PermissionServiceTests {
    let source = StubSource()
    let clock = VirtualLiveClock()

    private func service() -> PermissionService { PermissionService(source: source, clock: clock) }

    private func loaded(_ abilities: CallerAbilities = .manager(of: "q")) async throws -> PermissionService {
        source.set { $0.abilities = .success(abilities) }
        let service = service()
        try await service.refresh()
        return service
    }

    @Test func nothingLoadedMeansNo() async throws {
        let service = service()
        #expect(service.status == .loading)
        for action in Doorward.Action.known {
            #expect(!service.can(action, Doorward.LockDevice.door("d")))
            #expect(!service.hasPermission(action))
            #expect(service.availability(of: action, on: Doorward.LockDevice.door("d")) == .hidden)
        }
        #expect(!service.hasRole(.owner) && !service.isPortfolioOwner && !service.canEdit(Doorward.LockDevice.door("d")))
        #expect(!service.hasPermissions([]))
    }

    @Test func namedChecksFollowTheRules() async throws {
        let service = try await loaded()
        let (mine, other) = (Doorward.LockDevice.door("d"), Doorward.LockDevice.door("e", property: "r"))
        #expect(service.canUnlock(mine) && service.canLock(mine) && !service.canUnlatch(mine))
        #expect(!service.canUnlock(other) && !service.canLock(other))
        #expect(!service.canUnlock(nil))
        #expect(service.canUpdate(mine) && !service.canDelete(mine))
        let (property, foreign) = (Doorward.Property(id: "q", name: "Q"), Doorward.Property(id: "r", name: "R"))
        #expect(service.canManagePeople(in: property) && service.canManage(property) && !service.canDelete(property))
        #expect(!service.canManagePeople(in: foreign) && !service.canManage(foreign))
        #expect(!service.canManagePeople(in: Doorward.Portfolio(id: "q", name: "Q")))
        #expect(!service.canManagePeople(in: mine))
    }

    @Test func batchAndAnyChecks() async throws {
        let service = try await loaded()
        #expect(service.hasPermission(.unlock) && service.hasPermission(.propertyChange) && !service.hasPermission(.unlatch))
        #expect(service.hasPermissions([.unlock, .propertyChange]) && !service.hasPermissions([.unlock, .unlatch]))
        #expect(service.hasAnyPermission([.unlatch, .unlock]) && !service.hasAnyPermission([.unlatch]))
        #expect(!service.hasAnyPermission([]))
        #expect(service.permissions(among: [.unlock, .unlatch, .lock]) == [.unlock, .lock])
    }

    @Test func rolesAreThoseOfThePerson() async throws {
        var me = Doorward.User(id: "me")
        let instant = Doorward.Instant(milliseconds: 0)
        me.roleAssociations = [
            Doorward.RoleAssociation(
                id: "r", userId: "me", associatedEntityType: .portfolio, associatedEntityId: "p", roleWithinEntity: .owner,
                createdAt: instant, updatedAt: instant)
        ]
        source.set { $0.me = me }
        let service = try await loaded()
        #expect(service.hasRole(.owner) && service.hasRole(.owner, on: "p") && !service.hasRole(.owner, on: "other"))
        #expect(!service.hasRole(.tenant) && service.hasAnyRole([.tenant, .owner]) && !service.hasAnyRole([.tenant]))
        #expect(!service.hasRole(.superAdmin) && !service.hasRole(.guest))
        #expect(!service.isPortfolioOwner)
        service.select(portfolio: "p")
        #expect(service.isPortfolioOwner)
        service.select(portfolio: "other")
        #expect(!service.isPortfolioOwner)
    }

    // MARK: - Reactivity

    @Test func aViewThatAskedIsUpdatedByAChangeAndByNothingElse() async throws {
        let service = try await loaded()
        let door = Doorward.LockDevice.door("d")
        let changes = Changes { _ = service.canUnlock(door) }
        service.apply(.manager(of: "q"), isLive: true)
        #expect(changes.count == 0, "equal rules are no change")
        service.select(portfolio: "p")
        service.streamEnded()
        #expect(changes.count == 0, "neither is what the view has not read")
        service.apply(CallerAbilities(rules: []), isLive: true)
        #expect(changes.count == 1)
        #expect(!service.canUnlock(door))
        changes.redraw()
        service.apply(.manager(of: "q"), isLive: true)
        #expect(changes.count == 2)
        #expect(service.canUnlock(door))
    }

    // MARK: - Held, but not now

    @Test func aMissingRightIsHiddenAndAHeldOneIsExplained() async throws {
        var abilities = CallerAbilities.manager(of: "q")
        abilities.rules.append(
            Doorward.AbilityRule(
                action: ["UNLOCK"], subject: ["LockDevice"], conditions: ["propertyId": .string("q")], inverted: true,
                reason: .lockdownActive))
        let service = try await loaded(abilities)
        var door = Doorward.LockDevice.door("d")
        #expect(service.availability(of: .unlock, on: door) == .unavailable(reason: .lockdownActive, opensAt: nil))
        #expect(service.availability(of: .lock, on: door) == .available)
        #expect(service.availability(of: .unlatch, on: door) == .hidden)
        #expect(service.availability(of: .unlock, on: Doorward.LockDevice.door("e", property: "r")) == .hidden)
        door.isOnline = false
        #expect(service.availability(of: .lock, on: door) == .unavailable(reason: .deviceOffline, opensAt: nil))
        #expect(service.availability(of: .update, on: door) == .available)
        #expect(service.availability(of: .lock, on: nil as Doorward.LockDevice?) == .hidden)
    }

    @Test func aGuestSeesWhenTheWindowOpens() async throws {
        var access = Doorward.GuestAccess(id: "g")
        let opensAt = Doorward.Instant(milliseconds: clock.now.milliseconds + 60_000)
        (access.deviceIds, access.operations) = (["d"], [.unlock])
        (access.validFrom, access.validUntil) = (opensAt, Doorward.Instant(milliseconds: opensAt.milliseconds + 60_000))
        var me = Doorward.User(id: "me")
        me.guestAccesses = [access]
        source.set { $0.me = me }
        let service = try await loaded(CallerAbilities(rules: []))
        let door = Doorward.LockDevice.door("d", property: nil)
        #expect(service.availability(of: .unlock, on: door) == .unavailable(reason: .guestWindowNotStarted, opensAt: opensAt))
        #expect(service.availability(of: .lock, on: door) == .hidden, "an operation that was not granted")
        #expect(service.availability(of: .unlock, on: Doorward.LockDevice.door("e")) == .hidden)
        clock.advance(by: .seconds(60))
        service.apply(
            CallerAbilities(rules: [Doorward.AbilityRule(action: ["UNLOCK"], subject: ["LockDevice"])]), isLive: true)
        #expect(service.availability(of: .unlock, on: door) == .available)
        service.apply(CallerAbilities(rules: []), isLive: true)
        clock.advance(by: .seconds(60))
        #expect(service.availability(of: .unlock, on: door) == .hidden, "an ended access is no right")
        #expect(service.hasRole(.guest))
    }

    @Test func aScheduleIsARightThatOpensAgain() async throws {
        var access = Doorward.GuestAccess(id: "g")
        (access.deviceIds, access.operations) = (["d"], [.unlock])
        (access.validFrom, access.validUntil) = (clock.now, Doorward.Instant(milliseconds: clock.now.milliseconds + 1_000_000))
        access.schedule = Doorward.GuestAccess.Schedule(periods: [])
        var me = Doorward.User(id: "me")
        me.guestAccesses = [access]
        source.set { $0.me = me }
        let next = Doorward.Instant(milliseconds: clock.now.milliseconds + 5000)
        let service = try await loaded(CallerAbilities(rules: [], nextChangeAt: next))
        let door = Doorward.LockDevice.door("d", property: nil)
        #expect(service.availability(of: .unlock, on: door) == .unavailable(reason: .outsideSchedule, opensAt: next))
        me.guestAccesses?[0].revokedAt = clock.now
        source.set { $0.me = me }
        try await service.refresh()
        #expect(service.availability(of: .unlock, on: door) == .hidden)
    }

    // MARK: - Age

    @Test func rulesAreReadAgainAfterFiveMinutesWithoutTheStream() async throws {
        let service = try await loaded()
        clock.advance(by: .seconds(299))
        await service.refreshIfNeeded()
        #expect(source.requests.count == 2)
        clock.advance(by: .seconds(1))
        source.set { $0.abilities = .success(.manager(of: "r")) }
        await service.refreshIfNeeded()
        #expect(source.requests.count == 4)
        #expect(service.canUnlock(.door("d", property: "r")) && !service.canUnlock(.door("d")))
    }

    @Test func rulesThatCannotBeRenewedAreDropped() async throws {
        let service = try await loaded()
        source.set { $0.abilities = .failure(.offline) }
        clock.advance(by: .seconds(300))
        await service.refreshIfNeeded()
        #expect(service.status == .expired(at: clock.now))
        #expect(!service.canUnlock(.door("d")))
        source.set { $0.abilities = .success(.manager(of: "q")) }
        await service.refreshIfNeeded()
        #expect(service.canUnlock(.door("d")) && service.status == .loaded(at: clock.now))
    }

    @Test func rulesAreReadAgainWhenTheClockChangesThem() async throws {
        var abilities = CallerAbilities.manager(of: "q")
        abilities.nextChangeAt = Doorward.Instant(milliseconds: clock.now.milliseconds + 10_000)
        let service = try await loaded(abilities)
        source.set { $0.abilities = .success(CallerAbilities(rules: [])) }
        clock.advance(by: .seconds(9))
        await service.refreshIfNeeded()
        #expect(service.canUnlock(.door("d")))
        clock.advance(by: .seconds(1))
        await service.refreshIfNeeded()
        #expect(!service.canUnlock(.door("d")))
    }

    @Test func withTheStreamNothingIsRead() async throws {
        let service = try await loaded()
        service.apply(.manager(of: "q"), isLive: true)
        #expect(service.status == .live(since: clock.now))
        clock.advance(by: .seconds(3000))
        await service.refreshIfNeeded()
        #expect(source.requests.count == 2)
        service.streamEnded()
        await service.refreshIfNeeded()
        #expect(source.requests.count == 2, "the rules were valid until now")
        clock.advance(by: .seconds(300))
        await service.refreshIfNeeded()
        #expect(source.requests.count == 4)
    }

    @Test func aRefusalDropsTheRules() async throws {
        let service = try await loaded()
        source.set { $0.abilities = .failure(.forbidden) }
        await #expect(throws: DoorwardError.self) { try await service.refresh() }
        #expect(service.status == .refused(code: "forbidden"))
        #expect(!service.canUnlock(.door("d")))
    }

    @Test func anUnreachableGatewayKeepsTheRulesUntilTheyAreOld() async throws {
        let service = try await loaded()
        source.set { $0.abilities = .failure(.offline) }
        await #expect(throws: DoorwardError.self) { try await service.refresh() }
        #expect(service.canUnlock(.door("d")))
    }

    @Test func manyDenialsCauseOneRead() async throws {
        let service = try await loaded()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await service.rereadAfterDenial() } }
        }
        #expect(source.requests.filter { $0 == "permissions" }.count == 2)
        clock.advance(by: .seconds(5))
        await service.rereadAfterDenial()
        #expect(source.requests.filter { $0 == "permissions" }.count == 3)
    }

    @Test func signingOutForgetsEverything() async throws {
        var me = Doorward.User(id: "me")
        me.isSuperAdmin = true
        source.set { $0.me = me }
        let service = try await loaded()
        service.select(portfolio: "p")
        #expect(service.hasRole(.superAdmin))
        service.clear()
        #expect(service.me == nil && service.selectedPortfolioID == nil && service.nextChangeAt == nil)
        #expect(service.status == .signedOut && !service.canUnlock(.door("d")) && !service.hasRole(.superAdmin))
        await service.refreshIfNeeded()
        #expect(source.requests.count == 2, "and reads nothing by itself")
    }

    /// Answers for the person who has signed out must not become those of the next one.
    @Test func aReadThatEndsAfterTheSignOutIsIgnored() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let slow = SlowSource(gate: gate)
        let service = PermissionService(source: slow, clock: clock)
        let reading = Task { try await service.refresh() }
        await slow.hasBegun()
        service.clear()
        open.finish()
        try await reading.value
        #expect(service.me == nil && service.status == .signedOut && !service.canUnlock(.door("d")))
    }

    /// An answer that was under way while the gateway sent newer rules is older than they are.
    @Test func aReadThatBeganBeforeTheStreamSentIsIgnored() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let slow = SlowSource(gate: gate)
        let service = PermissionService(source: slow, clock: clock)
        let reading = Task { try await service.refresh() }
        await slow.hasBegun()
        service.apply(CallerAbilities(rules: []), isLive: true)
        open.finish()
        try await reading.value
        #expect(!service.canUnlock(.door("d")) && service.me?.id == "me")
        try await service.refresh()
        #expect(service.canUnlock(.door("d")), "a read that begins afterwards counts")
    }

    /// A read that fails while the stream returns says nothing about the rules that the stream has sent.
    @Test func aReadThatFailsAfterTheStreamHasSentDropsNothing() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let slow = SlowSource(gate: gate, fails: true)
        let service = PermissionService(source: slow, clock: clock)
        service.apply(CallerAbilities(rules: []), isLive: false)
        clock.advance(by: .seconds(301))
        let reading = Task { await service.refreshIfNeeded() }
        await slow.hasBegun()
        service.apply(.manager(of: "q"), isLive: true)
        open.finish()
        await reading.value
        #expect(service.canUnlock(.door("d")) && service.status.hasRules)
    }

    // MARK: - Log

    @Test func questionsAreLoggedAtDebugAndChangesAtInfo() async throws {
        let lines = LogLines()
        for level in [Logger.Level.info, .debug] {
            var logger = Logger(label: "doorward.permissions", factory: { _ in lines })
            logger.logLevel = level
            let service = PermissionService(source: source, clock: clock, logger: logger)
            service.apply(.manager(of: "q"), isLive: false)
            service.apply(.manager(of: "q"), isLive: false)
            _ = service.canUnlock(.door("d"))
        }
        #expect(lines.all.filter { $0.hasPrefix("info permissions changed") }.count == 2)
        #expect(lines.all.filter { $0.hasPrefix("debug") } == ["debug UNLOCK  LockDevice: true"])
    }
}

/// A log handler that keeps its lines.
final class LogLines: LogHandler, @unchecked Sendable {
    // `metadata` and `logLevel` are set before the handler is used; the lines are in a mutex.
    private let lines = Mutex<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    var all: [String] { lines.withLock { $0 } }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level) \(event.message)") } }
}

/// A source whose answers wait for a gate.
final class SlowSource: AccessSource {
    private let gate: AsyncStream<Void>
    private let (begun, begin) = AsyncStream<Void>.makeStream()

    private let fails: Bool

    init(gate: AsyncStream<Void>, fails: Bool = false) { (self.gate, self.fails) = (gate, fails) }

    func hasBegun() async { for await _ in begun { return } }
    func abilities() async throws -> CallerAbilities {
        begin.yield()
        for await _ in gate {}
        if fails { throw DoorwardError.offline }
        return .manager(of: "q")
    }
    func me() async throws -> Doorward.User { Doorward.User(id: "me") }
    func subscription(of portfolioID: String) async throws -> Doorward.Subscription {
        begin.yield()
        for await _ in gate {}
        return Doorward.Subscription.tiers[2]
    }
}
