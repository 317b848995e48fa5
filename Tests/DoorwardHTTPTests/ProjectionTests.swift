import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Every response contains only the fields that the caller may read of that object.
@Suite struct ProjectionTests {
    private static let publicDevice: Set<String> = [
        "viewLevel",
        "id", "name", "state", "stateQuality", "stateAt", "doorState", "isOnline", "capabilities", "propertyName", "unitName",
    ]
    private static let residentDevice = publicDevice.union([
        "batteryLevel", "batteryLow", "portfolioId", "propertyId", "unitId", "settings", "createdAt", "updatedAt",
    ])
    private static let operationsDevice = residentDevice.union([
        "manufacturer", "model", "firmwareVersion", "lastSeen", "faults", "adapter",
    ])
    private static let wholeDevice = operationsDevice.union(["address", "metadata", "isRemoteOperationEnabled", "notes"])

    @Test(
        "A device contains the fields of the caller's role; those without a value are null",
        arguments: [
            (House.Person.guest, publicDevice), (.tenant, residentDevice), (.maintenance, operationsDevice),
            (.superAdmin, operationsDevice), (.manager, wholeDevice), (.auditor, wholeDevice), (.admin, wholeDevice),
            (.owner, wholeDevice),
        ])
    func device(_ person: House.Person, _ fields: Set<String>) async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        #expect(try await house.call(.get, path, as: person).data["device"].keys == fields)
        let list = try await house.call(.get, "/devices", as: person)
        let listed = list.data["devices"].elements.first { $0["id"].text == house.ids.door.description }
        #expect(listed?.keys == fields)
        let status = try await house.call(.get, path + "/status", as: person).data["status"]
        let statusFields: Set<String> = [
            "state", "stateQuality", "stateAt", "doorState", "batteryLevel", "batteryLow", "isOnline", "lastSeen", "faults",
        ]
        #expect(status.keys == statusFields.intersection(fields).union(["deviceId"]))
    }

    @Test("A portfolio is visible only to roles of the portfolio and to super admins")
    func portfolio() async throws {
        let house = try await House()
        let whole: Set<String> = ["id", "name", "administratorUserIds", "propertyIds", "createdAt", "updatedAt", "viewLevel"]
        for person in [House.Person.owner, .admin, .auditor, .superAdmin] {
            let reply = try await house.call(.get, "/portfolios/\(house.ids.portfolio)", as: person)
            #expect(reply.data["portfolio"].keys == whole)
        }
        let reply = try await house.call(.get, "/portfolios/\(house.ids.portfolio)", as: .owner)
        let admins = [house.ids[.owner], house.ids[.admin]].sorted().map { JSONValue.string($0.description) }
        #expect(reply.data["portfolio"]["administratorUserIds"] == .array(admins))
        #expect(reply.data["portfolio"]["propertyIds"] == .array([.string(house.ids.property.description)]))
        for person in [House.Person.manager, .maintenance, .tenant, .guest] {
            #expect(try await house.call(.get, "/portfolios/\(house.ids.portfolio)", as: person).code == "forbidden")
        }
    }

    private static let residentUnit: Set<String> = [
        "id", "name", "propertyId", "portfolioId", "deviceIds", "commonAreaAccessIds", "createdAt", "updatedAt", "viewLevel",
    ]
    private static let residentProperty: Set<String> = [
        "id", "name", "defaultTimeZone", "address", "lockdown", "createdAt", "updatedAt", "portfolioId", "viewLevel",
    ]

    @Test(
        "A property and a unit contain the fields of the caller's role",
        arguments: [
            (House.Person.tenant, residentProperty, residentUnit),
            (.maintenance, residentProperty.union(["unitIds"]), residentUnit),
            (.manager, residentProperty.union(["unitIds", "managerUserIds"]), residentUnit.union(["tenantUserIds"])),
            (.superAdmin, residentProperty.union(["unitIds"]), residentUnit),
        ])
    func places(_ person: House.Person, _ property: Set<String>, _ unit: Set<String>) async throws {
        let house = try await House()
        let propertyReply = try await house.call(.get, "/properties/\(house.ids.property)", as: person)
        #expect(propertyReply.data["property"].keys == property)
        let unitReply = try await house.call(.get, "/units/\(house.ids.unit)", as: person)
        #expect(unitReply.data["unit"].keys == unit)
        let lockdown: Set<String> = person == .manager ? ["active", "since", "byUserId", "reason"] : ["active"]
        #expect(propertyReply.data["property"]["lockdown"].keys == lockdown)
    }

    @Test("All fields of a user are visible to the user and to a super admin; an owner does not see roles in other portfolios")
    func user() async throws {
        let house = try await House()
        let whole: Set<String> = [
            "id", "email", "firstName", "lastName", "isEnabled", "isSuperAdmin", "roleAssociations", "guestAccesses",
            "defaultPortfolioId", "defaultPropertyId", "defaultUnitId", "hasCompliancePack", "createdAt", "updatedAt",
            "viewLevel",
        ]
        let path = "/users/\(house.ids[.manager])"
        let own = try await house.call(.get, "/users/me", as: .manager)
        #expect(own.data["user"].keys == whole)
        #expect(own.data["user"]["roleAssociations"].elements.count == 2)
        let bySuperAdmin = try await house.call(.get, path, as: .superAdmin).data["user"]
        for field in whole where field != "viewLevel" { #expect(bySuperAdmin[field] == own.data["user"][field], "\(field)") }
        let seen = try await house.call(.get, path, as: .owner)
        let management: Set<String> = ["id", "firstName", "lastName", "email", "roleAssociations", "isEnabled", "viewLevel"]
        #expect(seen.data["user"].keys == management)
        #expect(seen.data["user"]["roleAssociations"].elements.count == 1)
        #expect(!seen.text.contains(house.ids.otherProperty.description))
    }

    @Test("A guest sees every field of their guest access except the association that it was granted under")
    func guestAccess() async throws {
        let house = try await House()
        let path = "/guest-access/\(house.ids.guestAccess)"
        let guest = try await house.call(.get, path, as: .guest).data["guestAccess"]
        let grantor = try await house.call(.get, path, as: .tenant).data["guestAccess"]
        #expect(grantor.keys.subtracting(guest.keys) == ["grantedUnderAssociationId"])
        #expect(guest["validUntil"].text == house.clock.now().advanced(by: .seconds(86_400)).description)
        #expect(try await house.call(.get, path, as: .manager).data["guestAccess"] == grantor)
    }

    @Test(
        "A record shows a resident only a label of the actor",
        arguments: [
            (House.Person.tenant, House.Person.tenant, "you"), (.tenant, .coTenant, "CoTenant"), (.tenant, .guest, "Guest"),
            (.tenant, .manager, "staff"), (.coTenant, .tenant, "Tenant"),
        ])
    func records(_ reader: House.Person, _ actor: House.Person, _ label: String) async throws {
        let house = try await House()
        #expect(try await house.command(as: actor).status == 200)
        let reply = try await house.call(.get, "/devices/\(house.ids.door)/access-records", as: reader)
        let record = reply.data["accessRecords"][0]
        #expect(
            record.keys == [
                "id", "at", "kind", "operation", "decision", "outcome", "event", "method", "deviceId", "actor", "viewLevel",
            ])
        #expect(record["actor"].text == label)
        let whole = try await house.call(.get, "/devices/\(house.ids.door)/access-records", as: .auditor)
        #expect(whole.data["accessRecords"][0]["actorId"].text == house.ids[actor].description)
        #expect(!whole.data["accessRecords"][0].keys.contains("actor"))
    }

    @Test(
        "The actor of a denial without a rule is labelled by their role on the unit",
        arguments: [(House.Person.coTenant, "CoTenant"), (.guest, "Guest"), (.manager, "staff"), (.neighbour, "staff")])
    func label(_ actor: House.Person, _ label: String) async throws {
        let house = try await House()
        let tenancy = house.control.directory.current
        let reader = FieldReader(
            tenancy.subject(of: .user(house.ids[.tenant])), level: .resident, at: .trusted(house.clock.now()))
        let user = try #require(house.control.directory.current.user(house.ids[actor]))
        let now = house.clock.now()
        func labelled(_ unit: UnitID?, under rule: Rule? = nil, at instant: Timestamp) -> String? {
            reader.label(of: RecordActor(user), under: rule, unit: unit, at: instant, in: tenancy)
        }
        #expect(labelled(house.ids.unit, at: now) == label)
        #expect(labelled(nil, at: now) == "staff")
        let rule = Rule.association(AssociationID(high: 1, low: 1), .auditor)
        #expect(labelled(house.ids.unit, under: rule, at: now) == "staff")
        let before = labelled(house.ids.unit, at: now.advanced(by: .seconds(-3600)))
        #expect(before == (label == "staff" ? "staff" : nil), "no name is shown for times before the reader's tenancy")
    }

    @Test("A new tenant sees no older records, and sees the names of co-tenants in new ones")
    func formerResidents() async throws {
        let house = try await House()
        for person in [House.Person.tenant, .guest, .coTenant, .manager] {
            #expect(try await house.command(as: person).status == 200)
        }
        house.clock.advance(by: .seconds(3600))
        let owner = Caller(userID: house.ids[.owner])
        _ = try await house.control.roles.assign(owner, .tenant, to: house.ids[.neighbour], on: .unit(house.ids.unit))
        try await house.control.roles.remove(owner, house.ids[.tenant], from: .unit(house.ids.unit))
        #expect(try await house.command(as: .coTenant).status == 200)
        let path = "/access-records?deviceId=\(house.ids.door)&kind=COMMAND_INTENT&order=asc"
        let records = try await house.call(.get, path, as: .neighbour).data["accessRecords"].elements
        let actors = records.map { $0["actor"].text }
        #expect(actors == ["CoTenant"])
        #expect(records.allSatisfy { $0.keys.contains("actor") })
        // A tenant whose tenancy is older than the record sees the name.
        let known = try await house.call(.get, path, as: .coTenant).data["accessRecords"].elements
        #expect(known.map { $0["actor"].text } == ["Tenant", "Guest", "you", "staff", "you"])
    }

    @Test("A command is complete for its actor and for management, and reduced for a co-tenant")
    func command() async throws {
        let house = try await House()
        let reply = try await house.command(as: .tenant, #"{"reason":"parcel"}"#)
        let path = "/commands/\(reply.data["command"]["id"].text ?? "")"
        #expect(try await house.call(.get, path, as: .tenant).data["command"]["reason"].text == "parcel")
        #expect(try await house.call(.get, path, as: .manager).data["command"]["reason"].text == "parcel")
        let reduced = try await house.call(.get, path, as: .coTenant).data["command"]
        #expect(reduced.keys == ["id", "deviceId", "operation", "state", "requestedAt", "actor", "viewLevel"])
        #expect(reduced["actor"].text == "Tenant")
        #expect(try await house.call(.get, path, as: .guest).code == "forbidden")
    }

    @Test("What a lock reports about itself is shown to those who run the building, and what a person entered stays")
    func product() async throws {
        let house = try await House()
        func shown(_ person: House.Person) async throws -> [String?] {
            let device = try await house.call(.get, "/devices/\(house.ids.door)", as: person).data["device"]
            return ["manufacturer", "model", "firmwareVersion"].map { device[$0].text }
        }
        #expect(try await shown(.manager) == [nil, nil, nil])
        house.adapter.report(
            .product(LockProduct(manufacturer: "Acme", model: "A1", firmwareVersion: "2.4")), from: house.ids.door)
        #expect(try await shown(.manager) == ["Acme", "A1", "2.4"])
        #expect(try await shown(.maintenance) == ["Acme", "A1", "2.4"])
        #expect(try await shown(.tenant) == [nil, nil, nil])
        #expect(try await house.call(.put, "/devices/\(house.ids.door)", as: .manager, #"{"model":"The red one"}"#).status == 200)
        house.adapter.report(.product(LockProduct(manufacturer: "Acme", firmwareVersion: "2.5")), from: house.ids.door)
        #expect(try await shown(.manager) == ["Acme", "The red one", "2.5"])
    }

    @Test("A filter does not reveal fields that the caller may not see")
    func filters() async throws {
        let house = try await House()
        house.adapter.report(.battery(level: 10, low: true), from: house.ids.door)
        func count(_ query: String, _ person: House.Person) async throws -> Int64? {
            try await house.call(.get, "/devices?\(query)", as: person).data["pagination"]["totalItems"].number
        }
        #expect(try await count("", .guest) == 1)
        #expect(try await count("batteryBelow=20", .tenant) == 1)
        #expect(try await count("batteryBelow=20", .guest) == 0)
        #expect(try await count("propertyId=\(house.ids.property)", .guest) == 0)
        #expect(try await count("propertyId=\(house.ids.property)", .maintenance) == 3)
        #expect(try await count("unitId=\(house.ids.unit)", .maintenance) == 1)
        #expect(try await count("adapter=simulator", .maintenance) == 1)
        #expect(try await count("adapter=scripted", .tenant) == 0)
        #expect(try await count("state=UNKNOWN", .guest) == 1)
    }
}
