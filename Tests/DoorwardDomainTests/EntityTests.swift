import DoorwardDomain
import Foundation
import Testing

/// The entities of the hierarchy: each value is stored in its own field, and values that are not set are `nil`.
@Suite struct EntityTests {
    private static let created = Timestamp(milliseconds: 1)
    private static let updated = Timestamp(milliseconds: 2)
    private static let portfolio = PortfolioID(high: 1, low: 1)
    private static let property = PropertyID(high: 1, low: 2)
    private static let unit = UnitID(high: 1, low: 3)
    private static let device = DeviceID(high: 1, low: 4)
    private static let user = UserID(high: 1, low: 5)

    @Test("A device keeps all its values")
    func devices() {
        let full = LockDevice(
            id: Self.device, name: "Front", adapter: "mqtt", address: ["topic": .string("t")], texts: [.manufacturer: "Maker"],
            firmwareVersion: "1.2", portfolioID: Self.portfolio, propertyID: Self.property, unitID: Self.unit,
            isRemoteOperationEnabled: false, capabilities: [.jam], settings: LockSettings(autoRelockSeconds: 30),
            metadata: ["floor": .integer(2)], createdAt: Self.created, updatedAt: Self.updated)
        #expect(full.id == Self.device && full.name == "Front" && full.adapter == "mqtt")
        #expect(full.address == ["topic": .string("t")] && full.metadata == ["floor": .integer(2)])
        #expect(full.texts == [.manufacturer: "Maker"] && full.firmwareVersion == "1.2")
        #expect(full.portfolioID == Self.portfolio && full.propertyID == Self.property && full.unitID == Self.unit)
        #expect(!full.isRemoteOperationEnabled && full.capabilities == .jam && full.settings.autoRelockSeconds == 30)
        #expect(full.createdAt == Self.created && full.updatedAt == Self.updated)
    }

    @Test("By default a device has no place and may be operated remotely")
    func plainDevice() {
        let plain = LockDevice(
            id: Self.device, name: "D", adapter: "simulator", capabilities: [], createdAt: Self.created, updatedAt: Self.created)
        #expect(plain.portfolioID == nil && plain.propertyID == nil && plain.unitID == nil)
        #expect(plain.isRemoteOperationEnabled)
        #expect(plain.address.isEmpty && plain.metadata.isEmpty && plain.settings.autoRelockSeconds == nil)
        #expect(plain.texts.isEmpty && plain.firmwareVersion == nil)
    }

    @Test("By default a device's status is unknown and stale, and a set one keeps all its values")
    func status() {
        let unheard = DeviceStatus()
        #expect(unheard.state == .unknown && unheard.stateQuality == .stale && unheard.stateAt == nil)
        #expect(unheard.doorState == .unknown && unheard.isOnline == nil && unheard.lastSeen == nil)
        #expect(unheard.batteryLevel == nil && unheard.batteryLow == nil && unheard.faults.isEmpty)
        var heard = DeviceStatus()
        (heard.state, heard.stateQuality, heard.stateAt, heard.doorState) = (.locked, .confirmed, Self.created, .closed)
        (heard.batteryLevel, heard.batteryLow, heard.isOnline) = (80, false, true)
        (heard.lastSeen, heard.faults) = (Self.updated, ["tamper"])
        #expect(heard.state == .locked && heard.stateQuality == .confirmed && heard.stateAt == Self.created)
        #expect(heard.doorState == .closed && heard.batteryLevel == 80 && heard.batteryLow == false)
        #expect(heard.isOnline == true && heard.lastSeen == Self.updated && heard.faults == ["tamper"])
    }

    @Test("A property and its address keep all their values")
    func properties() throws {
        let address = PostalAddress(street: "s", city: "c", state: "st", postalCode: "p", country: "co")
        let property = Property(
            id: Self.property, name: "House", portfolioID: Self.portfolio, address: address, defaultTimeZone: "Europe/Rome",
            createdAt: Self.created, updatedAt: Self.updated)
        #expect(property.id == Self.property && property.name == "House" && property.portfolioID == Self.portfolio)
        #expect(property.address == address && property.defaultTimeZone == "Europe/Rome")
        #expect(property.createdAt == Self.created && property.updatedAt == Self.updated)
        let json = try JSONEncoder().encode(address)
        let fields = try JSONDecoder().decode([String: String].self, from: json)
        #expect(fields == ["street": "s", "city": "c", "state": "st", "postalCode": "p", "country": "co"])
        #expect(try JSONDecoder().decode(PostalAddress.self, from: Data("{}".utf8)) == PostalAddress())
        #expect(try JSONDecoder().decode(PostalAddress.self, from: json) == address)
    }

    @Test("A portfolio and a unit keep all their values")
    func places() {
        let portfolio = Portfolio(id: Self.portfolio, name: "Homes", createdAt: Self.created, updatedAt: Self.updated)
        #expect(portfolio.id == Self.portfolio && portfolio.name == "Homes")
        #expect(portfolio.createdAt == Self.created && portfolio.updatedAt == Self.updated)
        let unit = Unit(
            id: Self.unit, name: "2b", propertyID: Self.property, portfolioID: Self.portfolio,
            commonAreaAccessIDs: [Self.device], createdAt: Self.created, updatedAt: Self.updated)
        #expect(unit.id == Self.unit && unit.name == "2b" && unit.commonAreaAccessIDs == [Self.device])
        #expect(unit.propertyID == Self.property && unit.portfolioID == Self.portfolio)
        #expect(unit.createdAt == Self.created && unit.updatedAt == Self.updated)
    }

    @Test("By default a user is enabled and has no special rights")
    func users() {
        let plain = User(
            id: Self.user, email: "a@example.org", firstName: "A", lastName: "B", createdAt: Self.created, updatedAt: Self.updated
        )
        #expect(plain.isEnabled && !plain.isSuperAdmin && !plain.hasCompliancePack)
        #expect(plain.defaultPortfolioID == nil && plain.defaultPropertyID == nil && plain.defaultUnitID == nil)
        let full = User(
            id: Self.user, email: "a@example.org", firstName: "A", lastName: "B", isEnabled: false, isSuperAdmin: true,
            defaultPortfolioID: Self.portfolio, defaultPropertyID: Self.property, defaultUnitID: Self.unit,
            hasCompliancePack: true, createdAt: Self.created, updatedAt: Self.updated)
        #expect(full.email == "a@example.org" && full.firstName == "A" && full.lastName == "B")
        #expect(!full.isEnabled && full.isSuperAdmin && full.hasCompliancePack)
        #expect(full.defaultPortfolioID == Self.portfolio && full.defaultPropertyID == Self.property)
        #expect(full.defaultUnitID == Self.unit && full.createdAt == Self.created && full.updatedAt == Self.updated)
    }

    @Test("A role association and a session keep all their values")
    func held() {
        let association = UserRoleAssociation(
            id: AssociationID(high: 1, low: 6), userID: Self.user, entity: .unit(Self.unit), role: .tenant,
            createdAt: Self.created, updatedAt: Self.updated)
        #expect(association.id.low == 6 && association.userID == Self.user)
        #expect(association.entity == .unit(Self.unit) && association.role == .tenant)
        #expect(association.createdAt == Self.created && association.updatedAt == Self.updated)
        let session = Session(
            id: SessionID(high: 1, low: 7), userID: Self.user, createdAt: Self.created, expiresAt: Self.updated)
        #expect(session.id.low == 7 && session.userID == Self.user)
        #expect(session.createdAt == Self.created && session.expiresAt == Self.updated)
    }

    @Test("A guest access keeps all its values")
    func guestAccess() {
        let access = GuestAccess(
            id: GuestAccessID(high: 1, low: 8), guestUserID: Self.user, label: "Plumber", propertyID: Self.property,
            unitID: Self.unit, deviceIDs: [Self.device], operations: [.unlock],
            window: GuestWindow(validFrom: Self.created, validUntil: Self.updated), grantedByUserID: UserID(high: 1, low: 9),
            grantedUnderAssociationID: AssociationID(high: 1, low: 10), grantedUnderRole: .tenant,
            revokedAt: Timestamp(milliseconds: 3), createdAt: Timestamp(milliseconds: 4))
        #expect(access.id.low == 8 && access.guestUserID == Self.user && access.label == "Plumber")
        #expect(access.propertyID == Self.property && access.unitID == Self.unit && access.deviceIDs == [Self.device])
        #expect(access.operations == [.unlock])
        #expect(access.window.validFrom == Self.created && access.window.validUntil == Self.updated)
        #expect(access.grantedByUserID.low == 9 && access.grantedUnderAssociationID.low == 10)
        #expect(access.grantedUnderRole == .tenant && access.revokedAt?.milliseconds == 3 && access.createdAt.milliseconds == 4)
    }

    @Test("Lock settings are a JSON object whose members are optional")
    func settings() throws {
        let read = try JSONDecoder().decode([LockSettings].self, from: Data("[{},{\"autoRelockSeconds\":30}]".utf8))
        #expect(read == [LockSettings(), LockSettings(autoRelockSeconds: 30)])
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self) == "[{},{\"autoRelockSeconds\":30}]")
    }
}
