import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// A coalition that takes random management calls in a world in which others act, too.
struct ClosureRun {
    /// A fault that is planted: calls of the coalition that the gateway refuses take effect all the same.
    enum Fault: CaseIterable {
        /// A link is created by whoever may revoke the access.
        case link
        /// A window or the number of uses is raised by whoever may revoke the access.
        case widening
    }

    let world: ClosureWorld
    private(set) var model: ClosureModel
    private let fault: Fault?
    private var random: SeededGenerator
    private var hasTakenAccount = false
    /// The changes that were made, for the message of a failure.
    private(set) var trace: [String] = []
    /// The calls that were answered, and those that were refused.
    private(set) var (done, refused) = (0, 0)

    init(seed: UInt64, fault: Fault? = nil) async throws {
        var random = SeededGenerator(seed: seed)
        world = try await ClosureWorld(using: &random)
        self.fault = fault
        // In most worlds no member begins as a manager: managers may reach nearly all doors.
        let size = Int.random(in: 2...5, using: &random)
        let some = Int.random(in: 0..<4, using: &random) == 0 ? world.people : Array(world.people.dropFirst(2))
        var members = Set(some.shuffled(using: &random).prefix(size))
        if Int.random(in: 0..<10, using: &random) == 0 { members.insert(world.owners[0]) }
        self.random = random
        model = ClosureModel(members: members, in: world)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Element>(of all: [Element]) -> Element { all[Int.random(in: 0..<all.count, using: &random)] }

    private mutating func some<Element>(of all: [Element], most: Int) -> [Element] {
        Array(all.shuffled(using: &random).prefix(Int.random(in: 1...most, using: &random)))
    }

    /// Takes one step, and returns what the coalition can do then and may not.
    mutating func step() async -> String? {
        // Owners act as often as all others together, as most of what matters is theirs to give.
        let owners = world.owners + [world.owners[0]] + world.owners
        let others = (world.people + owners).filter { !model.members.contains($0) }
        let isMember = others.isEmpty || chance(65)
        let actor = isMember ? one(of: members) : one(of: others)
        let before = world.control.directory.current
        do {
            try await act(actor, isMember: isMember)
            trace += world.differences(from: before).map { "\(isMember ? "member" : "outsider") \(world.name(actor)): \($0)" }
            done += 1
        } catch {
            refused += 1
        }
        model.learn(from: world, isOutsiders: !isMember)
        if chance(20) { world.clock.advance(by: .seconds(Int64.random(in: 1...7200, using: &random))) }
        if hasTakenAccount { return "a member has made a password link" }
        return model.excess(in: world, at: instants())
    }

    private mutating func act(_ actor: UserID, isMember: Bool) async throws {
        let (control, caller) = (world.control, world.caller(actor))
        switch Int.random(in: 0..<20, using: &random) {
        case 0...3: _ = try await control.guestAccesses.grant(caller, newAccess(of: actor), repeatable: nil)
        case 4...6, 17: try await changeAccess(caller, isMember: isMember)
        case 7...8, 18: try await makeLink(caller, isMember: isMember)
        case 9: _ = try await control.guestAccesses.revoke(caller, try anyAccess(of: caller).id)
        case 10:
            let place = place(of: actor)
            // Outsiders seldom give roles to members, as these would soon hold all doors.
            let people = isMember || chance(20) ? world.people : world.people.filter { !model.members.contains($0) }
            _ = try await control.roles.assign(caller, role(on: place), to: one(of: people), on: place)
        case 11: _ = try await control.roles.remove(caller, one(of: world.people), from: one(of: world.places))
        case 12 where isMember || chance(20): try await invite(caller, place(of: actor))
        case 13: try await makeKey(caller, place(of: actor), isMember: isMember)
        case 14 where isMember || chance(40): try await changePlaces(caller)
        case 15: try await move(caller)
        default: try await takeAccount(caller, isMember: isMember)
        }
    }

    // MARK: - Guest accesses

    /// An access that the caller may usually change: the interesting calls are those that are not refused at once.
    private mutating func anyAccess(of caller: Caller) throws -> GuestAccess {
        let all = world.accesses.filter { $0.revokedAt == nil }
        var near = all.filter { mayRevoke($0, caller) }
        // What others granted in one's flat is where rights could grow.
        let others = near.filter { caller.principal != .user($0.grantedByUserID) }
        if !others.isEmpty, chance(50) { near = others }
        guard !all.isEmpty else { throw GatewayError.outOfReach }
        return near.isEmpty || chance(15) ? one(of: all) : one(of: near)
    }

    /// A place on which the user has a role, or any other.
    private mutating func place(of user: UserID) -> AssociatedEntity {
        let held = world.tenancy.associations(of: user).map(\.entity)
        guard !held.isEmpty, chance(60) else { return one(of: world.places) }
        guard case .portfolio = one(of: held) else { return one(of: held) }
        return one(of: world.places)
    }

    private mutating func role(on place: AssociatedEntity) -> Role {
        one(of: place.type.assignableRoles.sorted { $0.rank < $1.rank })
    }

    private mutating func newAccess(of actor: UserID) -> NewGuestAccess {
        let subject = world.tenancy.subject(of: .user(actor))
        let time = DecisionTime(world.clock.now(), isTrusted: true)
        let near = world.devices.filter {
            SecurityService.decide(subject, .grantAccess, on: $0, at: time, override: false, in: world.tenancy).isAllowed
        }
        let devices = near.isEmpty || chance(10) ? world.devices : near
        // Managers often let a guest into the flat of a member and through a gate that the member has no right to.
        let flats = members.flatMap { world.tenancy.associations(of: $0) }.compactMap { role in
            if case .unit(let id) = role.entity { id } else { nil }
        }
        if !model.members.contains(actor), !flats.isEmpty, chance(50) {
            return newAccess(to: Array(near.suffix(2)), unit: one(of: flats))
        }
        let unit = world.tenancy.associations(of: actor).lazy.compactMap { role in
            if case .unit(let id) = role.entity { id } else { nil }
        }.first
        return newAccess(to: devices, unit: chance(60) ? unit ?? one(of: world.units) : nil)
    }

    /// Half of the accesses are for a member of the coalition.
    private mutating func guest() -> UserID {
        one(of: chance(50) ? members : world.people)
    }

    private var members: [UserID] { world.people.filter(model.members.contains) }

    private mutating func newAccess(to devices: [DeviceID], unit: UnitID?) -> NewGuestAccess {
        NewGuestAccess(
            guestUserID: chance(80) ? guest() : nil, label: "Guest", propertyID: nil,
            unitID: unit, deviceIDs: some(of: devices.isEmpty ? world.devices : devices, most: 2),
            operations: some(of: [.lock, .unlock, .unlatch], most: 3), window: window(),
            resolution: .asGiven, schedule: chance(25) ? hours() : nil,
            maxUses: chance(40) ? Int.random(in: 1...4, using: &random) : nil)
    }

    private mutating func window() -> GuestWindow {
        let from = world.clock.now().advanced(by: .seconds(3600 * Int.random(in: -4...4, using: &random)))
        return GuestWindow(
            validFrom: from, validUntil: from.advanced(by: .seconds(3600 * Int.random(in: 1...40, using: &random))))
    }

    private mutating func hours() -> Schedule {
        let from = Int.random(in: 0..<20, using: &random)
        let until = Int.random(in: from + 1...23, using: &random)
        func time(_ hour: Int) -> LocalTime { LocalTime(hour: hour, minute: 0) ?? .endOfDay }
        return Schedule(timeZone: "UTC", periods: [Schedule.Period(days: .everyDay, from: time(from), until: time(until))])
    }

    private mutating func changeAccess(_ caller: Caller, isMember: Bool) async throws {
        let access = try anyAccess(of: caller)
        var changes = GuestAccessChanges()
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 6:
                let later = access.window.validUntil.advanced(by: .seconds(3600 * Int.random(in: 1...30, using: &random)))
                changes.validUntil = ResolvedLocalTime(instant: chance(60) ? later : window().validUntil, change: .none)
            case 1: changes.validFrom = ResolvedLocalTime(instant: window().validFrom, change: .none)
            case 2: changes.maxUses = chance(60) ? .cleared : .set(Int.random(in: 1...6, using: &random))
            case 3: changes.schedule = chance(40) ? .cleared : .set(hours())
            case 4: changes.operations = some(of: [.lock, .unlock, .unlatch], most: 3)
            default: changes.deviceIDs = some(of: world.devices, most: 3)
            }
        }
        do {
            _ = try await world.control.guestAccesses.change(caller, access.id, changes)
        } catch {
            guard fault == .widening, isMember, mayRevoke(access, caller) else { throw error }
            // The former rule asked for the right to grant only for operations and devices.
            (changes.operations, changes.deviceIDs) = (nil, nil)
            _ = try await world.control.guestAccesses.change(owner(of: access), access.id, changes)
        }
    }

    private mutating func makeLink(_ caller: Caller, isMember: Bool) async throws {
        let access = try anyAccess(of: caller)
        let link: IssuedGuestLink
        do {
            link = try await world.control.guestLinks.create(caller, of: access.id)
        } catch {
            guard fault == .link, isMember, mayRevoke(access, caller) else { throw error }
            link = try await world.control.guestLinks.create(owner(of: access), of: access.id)
        }
        guard isMember || chance(60) else { return }
        model.getLink(of: access.id, digest: OneTimeToken.digest(of: link.token), isOutsiders: !isMember)
    }

    private func mayRevoke(_ access: GuestAccess, _ caller: Caller) -> Bool {
        let (tenancy, subject) = world.control.directory.resolve(caller)
        do { try tenancy.requireManagement(of: access, by: subject) } catch { return false }
        return true
    }

    private func owner(of access: GuestAccess) -> Caller {
        world.caller(world.owners[access.propertyID == world.properties[2] ? 1 : 0])
    }

    // MARK: - Roles, keys, places and accounts

    /// An invitation is handed to somebody, who accepts it at once. What it gives, its creator gives.
    private mutating func invite(_ caller: Caller, _ place: AssociatedEntity) async throws {
        let guest = one(of: world.people)
        guard let email = world.tenancy.user(guest)?.email else { return }
        let issued = try await world.control.invitations.invite(
            caller, email, to: role(on: place), on: place)
        _ = try await world.control.invitations.accept(
            issued.token, NewAccount(), caller: world.caller(guest), origin: RequestOrigin())
    }

    private mutating func makeKey(_ caller: Caller, _ place: AssociatedEntity, isMember: Bool) async throws {
        let key = try await world.control.apiKeys.create(
            caller,
            NewAPIKey(
                name: "Key", entity: place, role: role(on: place),
                expiresAt: world.clock.now().advanced(by: .seconds(86_400))))
        if isMember { model.keys.insert(key.key.id) }
    }

    private mutating func changePlaces(_ caller: Caller) async throws {
        if chance(30) {
            var changes = PropertyChanges()
            if chance(50) {
                changes.holders = some(of: world.people, most: 2)
            } else {
                changes.defaultTimeZone = .set("Asia/Tokyo")
            }
            _ = try await world.control.portfolios.change(caller, one(of: world.properties), changes)
            return
        }
        var changes = UnitChanges()
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changes.holders = some(of: world.people, most: 2)
        case 1: changes.devices = some(of: world.devices, most: 2)
        default: changes.commonAreas = chance(10) ? [] : some(of: Array(world.devices.suffix(3)), most: 2)
        }
        _ = try await world.control.portfolios.change(caller, one(of: Array(world.units.prefix(chance(70) ? 2 : 4))), changes)
    }

    private mutating func move(_ caller: Caller) async throws {
        var changes = DeviceChanges()
        if chance(50) {
            changes.unitID = chance(50) ? .cleared : .set(one(of: world.units))
        } else {
            changes.propertyID = .set(one(of: world.properties))
        }
        _ = try await world.control.attachedDevices.change(caller, one(of: world.devices), changes)
    }

    /// Nobody but a super admin may make a password link, with which one could become its person.
    private mutating func takeAccount(_ caller: Caller, isMember: Bool) async throws {
        _ = try await world.control.passwordResets.offer(caller, to: one(of: world.people))
        hasTakenAccount = hasTakenAccount || isMember
    }

    /// Now, and the later instants around the bounds of what the coalition may use.
    private func instants() -> [Timestamp] {
        let edges = model.usable.flatMap { [$0.window.validFrom, $0.window.validUntil] }
        let hours = model.usable.flatMap { access in
            access.schedule == nil ? [] : (1...3).map { access.window.validFrom.advanced(by: .seconds($0 * 17_000)) }
        }
        let now = world.clock.now()
        return Set([now] + edges + edges.map { $0.advanced(by: .milliseconds(-1)) } + hours).filter { $0 >= now }.sorted()
    }
}
