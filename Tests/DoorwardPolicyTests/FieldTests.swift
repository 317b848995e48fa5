import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

/// Behaviour that follows from the field tables: the fields that a reader sees, and the contents of audit records.
@Suite struct FieldTests {
    private static let now = Timestamp(milliseconds: 1_000)

    private static func device() -> LockDevice {
        LockDevice(
            id: DeviceID(high: 1, low: 2), name: "Front", adapter: "mqtt", address: ["code": .string("1234")],
            propertyID: PropertyID(high: 3, low: 4), capabilities: [.lock], metadata: ["pin": .string("9999")], createdAt: now,
            updatedAt: now)
    }

    private static func seen<Entity>(_ entity: Entity, _ fields: [Field<Entity>], at level: FieldLevel) -> [String] {
        let directory = TenancyDirectory()
        let reader = FieldReader(directory.subject(of: .user(UserID(high: 9, low: 9))), level: level, at: .trusted(now))
        return fields.filter { $0.value(of: entity, for: reader, in: directory) != .absent }.map(\.name)
    }

    private static func names<Entity>(_ fields: [Field<Entity>]) -> [String] { fields.map(\.name) }

    @Test("No field table contains a field twice")
    func once() {
        let tables = [
            Self.names(Portfolio.fields), Self.names(Property.fields), Self.names(Unit.fields), Self.names(ShownDevice.fields),
            Self.names(ShownUser.fields), Self.names(UserRoleAssociation.fields), Self.names(GuestAccess.fields),
            Self.names(ShownCommand.fields), Self.names(AccessRecord.fields),
        ]
        for names in tables { #expect(Set(names).count == names.count, "\(names)") }
    }

    @Test("A reader sees the fields that FieldTable lists for the level, and no others", arguments: FieldLevel.allCases)
    func levels(level: FieldLevel) {
        let device = ShownDevice(Self.device(), status: DeviceStatus())
        #expect(Set(Self.seen(device, ShownDevice.fields, at: level)) == FieldTable.fields(of: .device, at: level))
        let portfolio = Portfolio(id: PortfolioID(high: 1, low: 1), name: "Oak", createdAt: Self.now, updatedAt: Self.now)
        #expect(Set(Self.seen(portfolio, Portfolio.fields, at: level)) == FieldTable.fields(of: .portfolio, at: level))
    }

    @Test("Without a status the status fields are omitted")
    func withoutStatus() {
        let seen = Set(Self.seen(ShownDevice(Self.device()), ShownDevice.fields, at: .owner))
        let status = Set(Self.names(ShownDevice.statusFields))
        #expect(seen.isDisjoint(with: status))
        #expect(seen.union(status) == FieldTable.fields(of: .device, at: .owner))
    }

    @Test("A level that sees only part of an object gets the object with that part")
    func part() throws {
        let property = Property(
            id: PropertyID(high: 1, low: 1), name: "No. 5", portfolioID: PortfolioID(high: 1, low: 1), createdAt: Self.now,
            updatedAt: Self.now)
        let lockdown = try #require(Property.fields.first { $0.name == "lockdown" })
        let directory = TenancyDirectory()
        for level in FieldLevel.allCases {
            let reader = FieldReader(directory.subject(of: .user(UserID(high: 9, low: 9))), level: level, at: .trusted(Self.now))
            guard case .object(let members) = lockdown.value(of: property, for: reader, in: directory) else {
                Issue.record("the value is not an object")
                continue
            }
            #expect(members.map(\.name) == (level < .management ? ["active"] : ["active", "since", "byUserId", "reason"]))
            #expect(members.map(\.value) == (level < .management ? [.bool(false)] : [.bool(false), .null, .null, .null]))
            var locked = property
            locked.lockdown = Lockdown(since: Self.now, byUserID: UserID(high: 5, low: 5), reason: "Alarm")
            guard case .object(let active) = lockdown.value(of: locked, for: reader, in: directory) else {
                Issue.record("the value is not an object")
                continue
            }
            let values: [FieldValue] = [
                .bool(true), .instant(Self.now), .identifier(EntityID(high: 5, low: 5)), .string("Alarm"),
            ]
            #expect(active.map(\.value) == (level < .management ? [.bool(true)] : values))
        }
    }

    @Test("A lockdown is recorded when it begins and when it ends, with its reason as a personal value")
    func lockdown() {
        let property = Property(
            id: PropertyID(high: 1, low: 1), name: "No. 5", portfolioID: PortfolioID(high: 1, low: 1), createdAt: Self.now,
            updatedAt: Self.now)
        let user = UserID(high: 5, low: 5)
        var locked = property
        locked.lockdown = Lockdown(since: Self.now, byUserID: user, reason: "Alarm")
        let started = Property.fields.recordedChanges(from: property, to: locked)
        let active: RecordValue = .object([
            "active": .bool(true), "since": .string(Self.now.description), "byUserId": .string(user.description),
            "reason": .personal("Alarm", person: user),
        ])
        #expect(started.before == ["lockdown": .object(["active": .bool(false)])])
        #expect(started.after == ["lockdown": active])
        #expect(Property.fields.recordedChanges(from: locked, to: property).before == started.after)
        #expect(Property.fields.recorded(property)["lockdown"] == nil, "a new property has none")
    }

    @Test("A subscription and a retention are recorded when they change, and no response about a portfolio contains them")
    func subscription() {
        let old = Portfolio(id: PortfolioID(high: 1, low: 1), name: "Oak", createdAt: Self.now, updatedAt: Self.now)
        var new = old
        new.subscription = Subscription(tier: "gold", modules: [.webhooks, .guestAccess], limits: [.maxUnits: 3])
        new.retention = Retention(days: 30, legalHold: true)
        let (before, after) = Portfolio.fields.recordedChanges(from: old, to: new)
        #expect(
            after == [
                "tier": .string("gold"), "modules": .array([.string("guestAccess"), .string("webhooks")]),
                "limits": .object(["maxUnits": .integer(3)]), "retentionDays": .integer(30), "legalHold": .bool(true),
            ])
        #expect(before["tier"] == .string("standard") && before["limits"] == .object([:]))
        #expect(before["retentionDays"] == .null && before["legalHold"] == .bool(false))
        #expect(Portfolio.fields.recordedChanges(from: new, to: new).after.isEmpty)
        #expect(!Self.seen(new, Portfolio.fields, at: .owner).contains { ["tier", "modules", "limits"].contains($0) })
    }

    // MARK: - Records

    @Test("The record of a new lock contains its name, adapter and place, but not its address, metadata or code")
    func made() {
        var device = Self.device()
        device.sealedCode = [1, 2]
        #expect(
            ShownDevice.fields.recorded(ShownDevice(device)) == [
                "name": .personal("Front", person: nil), "adapter": .string("mqtt"),
                "propertyId": .string(PropertyID(high: 3, low: 4).description), "unitId": .null,
            ])
    }

    @Test("The record of a change contains only changed fields, and for secrets only their keys or number")
    func changed() {
        let old = Self.device()
        #expect(ShownDevice.fields.recordedChanges(from: ShownDevice(old), to: ShownDevice(old)).after.isEmpty)
        var new = old
        (new.name, new.texts[.model], new.sealedCode) = ("Back", "X", [1])
        (new.address, new.metadata) = (["topic": .string("secret")], ["a": .null, "b": .null])
        let (before, after) = ShownDevice.fields.recordedChanges(from: ShownDevice(old), to: ShownDevice(new))
        #expect(
            before == [
                "name": .personal("Front", person: nil), "model": .null, "hasCode": .bool(false),
                "address": .array([.string("code")]), "metadataKeys": .integer(1),
            ])
        #expect(
            after == [
                "name": .personal("Back", person: nil), "model": .string("X"), "hasCode": .bool(true),
                "address": .array([.string("topic")]), "metadataKeys": .integer(2),
            ])
    }

    @Test(
        "A replaced code, or a new value under an existing key, is recorded as a change, although the record shows no difference")
    func sameForm() {
        var (old, new) = (Self.device(), Self.device())
        (old.sealedCode, new.sealedCode) = ([1], [2])
        (new.address, new.metadata) = (["code": .string("5678")], ["pin": .string("0000")])
        let (before, after) = ShownDevice.fields.recordedChanges(from: ShownDevice(old), to: ShownDevice(new))
        #expect(Set(after.keys) == ["hasCode", "address", "metadataKeys"])
        #expect(before == after)
    }

    @Test("A user's own values are personal, so that deleting the user's key erases them")
    func personal() {
        let user = User(
            id: UserID(high: 1, low: 1), email: "a@example.com", firstName: "A", lastName: "B", createdAt: Self.now,
            updatedAt: Self.now)
        #expect(
            ShownUser.fields.recorded(ShownUser(user)) == [
                "email": .personal("a@example.com", person: user.id), "firstName": .personal("A", person: user.id),
                "lastName": .personal("B", person: user.id), "isSuperAdmin": .bool(false),
            ])
        var other = user
        (other.email, other.isEnabled, other.updatedAt) = ("b@example.com", false, Self.now.advanced(by: .seconds(1)))
        let (_, after) = ShownUser.fields.recordedChanges(from: ShownUser(user), to: ShownUser(other))
        #expect(after == ["isEnabled": .bool(false)], "the address cannot be changed yet, so no record of a change contains it")
    }

    @Test("Fields given by name are recorded whether they changed or not, except fields without an audit form")
    func named() {
        let unit = Unit(
            id: UnitID(high: 1, low: 1), name: "2B", propertyID: PropertyID(high: 1, low: 1),
            portfolioID: PortfolioID(high: 1, low: 1), commonAreaAccessIDs: [DeviceID(high: 7, low: 8)], createdAt: Self.now,
            updatedAt: Self.now)
        #expect(Unit.fields.recorded(unit) == ["name": .personal("2B", person: nil)])
        #expect(
            Unit.fields.recorded("commonAreaAccessIds", "createdAt", "deviceIds", of: unit)
                == ["commonAreaAccessIds": .array([.string(DeviceID(high: 7, low: 8).description)])])
    }
}
