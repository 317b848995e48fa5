import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Changing portfolios, properties and units, and replacing their lists.
@Suite struct PlaceChangeTests {
    // MARK: - Own fields

    @Test(
        "a change of names, address and time zone updates the given fields only, and both logs record the values before and after"
    )
    func details() async throws {
        let house = try await House()
        let (portfolio, gateway) = (house.portfolioLog.count, house.gatewayLog.count)
        house.clock.advance(by: .seconds(5))
        var changes = PropertyChanges()
        changes.name = "No. 5a"
        changes.address = .set(PostalAddress(street: "Oak Street 5a", city: "Ulm"))
        changes.defaultTimeZone = .set("Europe/Berlin")
        let property = try await house.control.portfolios.change(
            house.caller(house.ids.managers[0]), house.ids.property, changes)
        #expect(property.name == "No. 5a" && property.address?.city == "Ulm" && property.defaultTimeZone == "Europe/Berlin")
        #expect(property.updatedAt == house.clock.now() && property.createdAt < property.updatedAt)
        #expect(house.control.directory.current.property(house.ids.property) == property)
        let records = [house.portfolioLog.dropFirst(portfolio).map(\.body), house.gatewayLog.dropFirst(gateway).map(\.body)]
        for log in records {
            let record = try #require(log.first)
            #expect(log.count == 1 && record.action == .update && record.propertyID == house.ids.property)
            #expect(record.target == RecordTarget(type: "Property", id: house.ids.property.description))
            let before: [String: RecordValue] = [
                "name": .personal("No. 5", person: nil), "address": .null, "defaultTimeZone": .null,
            ]
            let after: [String: RecordValue] = [
                "name": .personal("No. 5a", person: nil), "address": .personal("Oak Street 5a, Ulm", person: nil),
                "defaultTimeZone": .string("Europe/Berlin"),
            ]
            #expect(record.details == ["before": .object(before), "after": .object(after)])
        }
        var clearing = PropertyChanges()
        (clearing.address, clearing.defaultTimeZone) = (.cleared, .cleared)
        let cleared = try await house.control.portfolios.change(house.caller(house.ids.owner), house.ids.property, clearing)
        #expect(cleared.address == nil && cleared.defaultTimeZone == nil && cleared.name == "No. 5a")
    }

    @Test("a change that changes nothing writes nothing")
    func nothing() async throws {
        let house = try await House()
        let commits = house.store.commitCount
        let owner = house.caller(house.ids.owner)
        var portfolio = PortfolioChanges()
        (portfolio.name, portfolio.holders) = ("Oak Street", [house.ids.owner])
        _ = try await house.control.portfolios.change(owner, house.ids.portfolio, portfolio)
        var property = PropertyChanges()
        property.holders = house.ids.managers.reversed()
        _ = try await house.control.portfolios.change(owner, house.ids.property, property)
        var unit = UnitChanges()
        (unit.holders, unit.devices) = ([house.ids.tenant, house.ids.tenant], [house.ids.door])
        unit.commonAreas = [house.ids.frontDoor, house.ids.frontDoor]
        _ = try await house.control.portfolios.change(owner, house.ids.unit, unit)
        #expect(house.store.commitCount == commits)
    }

    @Test("a change is refused if its precondition is not met")
    func preconditions() async throws {
        let house = try await House()
        let (caller, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        let errors = [
            await failure {
                _ = try await portfolios.change(caller, house.ids.portfolio, PortfolioChanges(), onlyIf: { _, _ in false })
            },
            await failure {
                _ = try await portfolios.change(caller, house.ids.property, PropertyChanges(), onlyIf: { _, _ in false })
            },
            await failure { _ = try await portfolios.change(caller, house.ids.unit, UnitChanges(), onlyIf: { _, _ in false }) },
        ]
        for error in errors {
            guard case .preconditionFailed = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        _ = try await portfolios.change(caller, house.ids.unit, UnitChanges(), onlyIf: { unit, _ in unit.name == "2B" })
    }

    // MARK: - Lists of people

    @Test("the list of administrators replaces owners and admins: those who are added become admins, auditors stay")
    func administrators() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let (added, auditor) = (house.ids.stranger, house.ids.guest)
        _ = try await house.control.roles.assign(owner, .auditor, to: auditor, on: .portfolio(house.ids.portfolio))
        _ = try await house.control.roles.assign(
            owner, .portfolioAdmin, to: house.ids.tenant, on: .portfolio(house.ids.portfolio))
        var changes = PortfolioChanges()
        changes.holders = [house.ids.owner, added]
        let records = house.portfolioLog.count
        _ = try await house.control.portfolios.change(owner, house.ids.portfolio, changes)
        #expect(
            roles(in: house, on: .portfolio(house.ids.portfolio))
                == [house.ids.owner: [.owner], added: [.portfolioAdmin], auditor: [.auditor]])
        #expect(house.portfolioLog.dropFirst(records).map(\.body.action) == [.assign, .remove])
    }

    @Test("a list of people needs the right to assign, but only if it changes")
    func rights() async throws {
        let house = try await House()
        let manager = house.caller(house.ids.managers[0])
        var changes = PropertyChanges()
        (changes.name, changes.holders) = ("Renamed", house.ids.managers)
        _ = try await house.control.portfolios.change(manager, house.ids.property, changes)
        changes.name = "Renamed again"
        changes.holders = Array(house.ids.managers.dropLast())
        let refused = await denial { _ = try await house.control.portfolios.change(manager, house.ids.property, changes) }
        #expect(refused?.reason == .roleInsufficient)
        #expect(house.control.directory.current.property(house.ids.property)?.name == "Renamed", "nothing of it is changed")
        _ = try await house.control.portfolios.change(house.caller(house.ids.owner), house.ids.property, changes)
        #expect(Set(roles(in: house, on: .property(house.ids.property)).keys) == Set(house.ids.managers.dropLast()))
    }

    @Test("the last owner is replaced only by a super admin, and a list with an unknown user changes nothing")
    func lastOwner() async throws {
        let house = try await House()
        var changes = PortfolioChanges()
        (changes.name, changes.holders) = ("New", [house.ids.stranger])
        for caller in [house.ids.owner] {
            guard
                case .conflict = await failure({
                    _ = try await house.control.portfolios.change(house.caller(caller), house.ids.portfolio, changes)
                })
            else { return _ = Issue.record("the last owner was replaced") }
        }
        var unknown = changes
        unknown.holders = [house.ids.owner, UserID(high: 5, low: 5)]
        guard
            case .notFound = await failure({
                _ = try await house.control.portfolios.change(house.caller(house.ids.owner), house.ids.portfolio, unknown)
            })
        else { return _ = Issue.record("an unknown user was assigned") }
        #expect(house.control.directory.current.portfolio(house.ids.portfolio)?.name == "Oak Street")
        #expect(roles(in: house, on: .portfolio(house.ids.portfolio)) == [house.ids.owner: [.owner]])
        _ = try await house.control.portfolios.change(house.caller(house.ids.superAdmin), house.ids.portfolio, changes)
        #expect(roles(in: house, on: .portfolio(house.ids.portfolio)) == [house.ids.stranger: [.portfolioAdmin]])
    }

    @Test("a tenant who is left out of the list can no longer unlock, and neither can their guest")
    func tenants() async throws {
        let house = try await House()
        var changes = UnitChanges()
        changes.holders = [house.ids.stranger]
        _ = try await house.control.portfolios.change(house.caller(house.ids.managers[0]), house.ids.unit, changes)
        let decisions = [house.ids.tenant, house.ids.guest, house.ids.stranger].map { user in
            SecurityService.decide(
                .user(user), .unlock, on: house.ids.door, at: .trusted(house.clock.now()), override: false,
                in: house.control.directory.current)
        }
        #expect(decisions.map(\.isAllowed) == [false, false, true])
        #expect(decisions[1].denial?.reason == .grantorLostAccess)
    }

    // MARK: - Devices and common areas

    @Test("the list of a unit's devices moves new ones to the unit and leaves the others on the property")
    func devices() async throws {
        let house = try await House()
        var changes = UnitChanges()
        changes.devices = [house.ids.frontDoor]
        let unit = try await house.control.portfolios.change(house.caller(house.ids.managers[0]), house.ids.unit, changes)
        let tenancy = house.control.directory.current
        #expect(tenancy.deviceIDs(of: house.ids.unit) == [house.ids.frontDoor])
        #expect(tenancy.device(house.ids.door)?.propertyID == house.ids.property)
        #expect(tenancy.device(house.ids.door)?.unitID == nil)
        #expect(unit.commonAreaAccessIDs.isEmpty, "a device of a unit is no common area")
        #expect(tenancy.guestAccess(house.ids.guestAccess)?.revokedAt != nil, "it listed the moved door alone")
    }

    @Test("a device of another portfolio is moved only with the right at both ends, and is unknown to callers without reach")
    func foreignDevice() async throws {
        let house = try await House()
        var changes = UnitChanges()
        changes.devices = [house.ids.door, house.ids.otherDoor]
        let owner = house.caller(house.ids.owner)
        let hidden = await denial { _ = try await house.control.portfolios.change(owner, house.ids.unit, changes) }
        #expect(hidden?.hasReach == false)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.superAdmin), .auditor, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        let refused = await denial { _ = try await house.control.portfolios.change(owner, house.ids.unit, changes) }
        #expect(refused?.reason == .roleInsufficient)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        _ = try await house.control.portfolios.change(owner, house.ids.unit, changes)
        #expect(house.control.directory.current.device(house.ids.otherDoor)?.unitID == house.ids.unit)
        let other = house.store.log(.portfolio(house.ids.otherPortfolio)).map(\.body).last
        #expect(other?.action == .move && other?.unitID == nil, "the other portfolio's log does not name the new place")
    }

    @Test("a common area is a device of the property that is assigned to no unit, also after the moves of the same change")
    func commonAreas() async throws {
        let house = try await House()
        let manager = house.caller(house.ids.managers[0])
        func set(_ commonAreas: [DeviceID], devices: [DeviceID]? = nil) async -> GatewayError? {
            var changes = UnitChanges()
            (changes.commonAreas, changes.devices) = (commonAreas, devices)
            return await failure { _ = try await house.control.portfolios.change(manager, house.ids.unit, changes) }
        }
        guard case .invalid(let problems) = await set([house.ids.door]) else { return _ = Issue.record("accepted") }
        #expect(problems == [FieldProblem(field: "commonAreaAccessIds", problem: "not_common_area")])
        guard case .denied(let denial, _, _) = await set([house.ids.otherDoor]) else { return _ = Issue.record("accepted") }
        #expect(!denial.hasReach)
        #expect(await isDone(set([])))
        #expect(house.control.directory.current.unit(house.ids.unit)?.commonAreaAccessIDs == [])
        #expect(await isDone(set([house.ids.door, house.ids.frontDoor], devices: [])))
        let unit = try #require(house.control.directory.current.unit(house.ids.unit))
        #expect(unit.commonAreaAccessIDs == [house.ids.door, house.ids.frontDoor])
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.action == .update && record.target?.type == "Unit")
    }

    private func isDone(_ error: GatewayError?) -> Bool { if case nil = error { true } else { false } }

    private func roles(in house: House, on entity: AssociatedEntity) -> [UserID: [Role]] {
        Dictionary(grouping: house.control.directory.current.associations(on: entity), by: \.userID).mapValues { $0.map(\.role) }
    }
}
