import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `/portfolios/:id/subscription` and `/portfolios/:id/retention`, and the errors of a subscription.
@Suite struct SubscriptionRouteTests {
    private static func path(_ house: House) -> String { "/portfolios/\(house.ids.portfolio)/subscription" }
    private static func retention(_ house: House) -> String { "/portfolios/\(house.ids.portfolio)/retention" }

    @Test("A subscription has its tier, every module of the gateway, the limits that apply, and the usage of every limit")
    func read() async throws {
        let house = try await House()
        let shown = try await house.call(.get, Self.path(house), as: .owner).data["subscription"]
        let on = ["guestAccess", "recurringSchedules", "guestLinks", "bulkOperations", "accessLogExport"]
        var modules = Dictionary(uniqueKeysWithValues: on.map { ($0, JSONValue.bool(true)) })
        modules["complianceReport"] = .bool(false)
        #expect(
            shown
                == .object([
                    "tier": .string("standard"), "modules": .object(modules), "limits": .object([:]),
                    "usage": .object([
                        "properties": .integer(1), "units": .integer(2), "devices": .integer(3),
                        "activeGuestAccess": .integer(1),
                    ]),
                ]))
    }

    @Test("A super admin chooses a tier, names modules and limits beside it, and removes a limit with null")
    func change() async throws {
        let house = try await House()
        let free = try await house.call(
            .put, Self.path(house), as: .superAdmin,
            #"{"tier":"free","modules":{"complianceReport":true},"limits":{"maxUnits":9}}"#)
        #expect(free.status == 200, "\(free.text)")
        let subscription = free.data["subscription"]
        #expect(subscription["tier"].text == "free" && subscription["modules"]["complianceReport"].flag == true)
        #expect(subscription["modules"]["guestLinks"].flag == false && subscription["limits"]["maxUnits"].number == 9)
        #expect(subscription["limits"]["maxProperties"].number == 1)
        let open = try await house.call(
            .put, Self.path(house), as: .superAdmin, #"{"tier":"Gold 2030","limits":{"maxUnits":null}}"#)
        #expect(open.data["subscription"]["tier"].text == "Gold 2030")
        #expect(open.data["subscription"]["limits"].keys == ["maxProperties", "maxDevices", "maxActiveGuestAccess"])
        let read = try await house.call(.get, Self.path(house), as: .admin)
        #expect(read.data == open.data)
    }

    @Test(
        "Bad input is rejected",
        arguments: [
            (#"{"modules":{"lifts":true}}"#, "modules.lifts: unknown_key"),
            (#"{"limits":{"maxDoors":1}}"#, "limits.maxDoors: unknown_key"),
            (#"{"modules":{"webhooks":true}}"#, "modules.webhooks: unknown_key"),
            (#"{"modules":{"guestLinks":1}}"#, "modules.guestLinks: wrong_type"),
            (#"{"modules":{"guestLinks":null}}"#, "modules.guestLinks: required"), (#"{"modules":[]}"#, "modules: wrong_type"),
            (#"{"limits":{"maxUnits":-1}}"#, "limits.maxUnits: out_of_range"),
            (#"{"limits":{"maxUnits":1.5}}"#, "limits.maxUnits: wrong_type"), (#"{"tier":""}"#, "tier: blank"),
            (#"{"tier":null}"#, "tier: required"), (#"{"usage":{}}"#, "usage: read_only"),
            (#"{"level":1}"#, "level: unknown_key"),
            (#"{"tier":"\#(String(repeating: "x", count: 65))"}"#, "tier: too_long"),
        ])
    func badInput(_ body: String, _ problem: String) async throws {
        let house = try await House()
        let reply = try await house.call(.put, Self.path(house), as: .superAdmin, body)
        #expect(reply.status == 400 && reply.problems == [problem], "\(reply.text)")
    }

    @Test(
        "Owners, admins and super admins read both, super admins change one and owners the other",
        arguments: House.Person.allCases)
    func rights(_ person: House.Person) async throws {
        let house = try await House()
        let reads = [Self.path(house), Self.retention(house)]
        let writes = [
            (Self.path(house), #"{"tier":"pro"}"#, House.Person.superAdmin), (Self.retention(house), #"{"days":9}"#, .owner),
        ]
        for path in reads {
            let reply = try await house.call(.get, path, as: person)
            switch person {
            case .superAdmin, .owner, .admin: #expect(reply.status == 200)
            case .auditor: #expect(reply.code == "role_insufficient")
            default: #expect(reply.code == "forbidden", "a role below the portfolio gives no reach to it")
            }
        }
        for (path, body, holder) in writes {
            let reply = try await house.call(.put, path, as: person, body)
            switch person {
            case holder: #expect(reply.status == 200, "\(reply.text)")
            case .superAdmin, .owner, .admin, .auditor: #expect(reply.code == "role_insufficient")
            default: #expect(reply.code == "forbidden")
            }
        }
    }

    @Test("A change based on an older version is rejected; usage is no part of the version")
    func tags() async throws {
        let house = try await House()
        let tag = try await house.call(.get, Self.path(house), as: .owner).headers[.eTag] ?? ""
        _ = try await house.call(.post, "/properties/\(house.ids.property)/units", as: .owner, #"{"name":"N"}"#)
        let body = #"{"limits":{"maxUnits":5}}"#
        let first = try await house.call(.put, Self.path(house), as: .superAdmin, body, headers: [.ifMatch: tag])
        #expect(first.status == 200 && first.headers[.eTag] != tag)
        let second = try await house.call(.put, Self.path(house), as: .superAdmin, #"{"tier":"pro"}"#, headers: [.ifMatch: tag])
        #expect(second.status == 412 && second.code == "precondition_failed")
        let retention = try await house.call(.get, Self.retention(house), as: .owner).headers[.eTag] ?? ""
        for status in [200, 412] {
            let reply = try await house.call(
                .put, Self.retention(house), as: .owner, #"{"days":30}"#, headers: [.ifMatch: retention])
            #expect(reply.status == status)
        }
    }

    @Test("At a limit the error names the limit, its value and the count")
    func limit() async throws {
        let house = try await House()
        _ = try await house.call(.put, Self.path(house), as: .superAdmin, #"{"limits":{"maxUnits":2,"maxDevices":3}}"#)
        let unit = try await house.call(.post, "/properties/\(house.ids.property)/units", as: .owner, #"{"name":"N"}"#)
        #expect(unit.status == 403 && unit.code == "limit_reached", "\(unit.text)")
        #expect(unit.details == .object(["name": .string("maxUnits"), "limit": .integer(2), "count": .integer(2)]))
        #expect(unit.json["message"].text?.contains("2 of at most 2 units") == true)
        let device = #"{"name":"N","adapter":"scripted","address":{"topic":"n"},"propertyId":"\#(house.ids.property)"}"#
        let attached = try await house.call(.post, "/devices", as: .superAdmin, device)
        #expect(attached.code == "limit_reached", "a super admin is bound too: \(attached.text)")
    }

    @Test("Without the module the error names it, when access is granted and when it is used")
    func module() async throws {
        let house = try await House()
        _ = try await house.call(.put, Self.path(house), as: .superAdmin, #"{"modules":{"guestAccess":false}}"#)
        let body =
            #"{"label":"L","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"validFrom":"2026-11-21T08:00:00Z","#
            + #""validUntil":"2026-11-22T08:00:00Z"}"#
        let grant = try await house.call(.post, "/guest-access", as: .tenant, body)
        #expect(grant.status == 403 && grant.code == "feature_unavailable", "\(grant.text)")
        #expect(grant.details == .object(["module": .string("guestAccess")]))
        let use = try await house.command(as: .guest)
        #expect(use.status == 403 && use.code == "feature_unavailable")
        #expect(use.details["missing"]["module"].text == "guestAccess")
    }

    @Test("A retention has at least one day, and null keeps records without a limit")
    func retention() async throws {
        let house = try await House()
        let path = Self.retention(house)
        let none: JSONValue = .object(["days": .null, "legalHold": .bool(false)])
        #expect(try await house.call(.get, path, as: .owner).data["retention"] == none)
        let set = try await house.call(.put, path, as: .owner, #"{"days":1,"legalHold":true}"#)
        #expect(set.data["retention"] == .object(["days": .integer(1), "legalHold": .bool(true)]))
        let cleared = try await house.call(.put, path, as: .owner, #"{"days":null}"#)
        #expect(cleared.data["retention"] == .object(["days": .null, "legalHold": .bool(true)]))
        for (body, problem) in [
            (#"{"days":0}"#, "days: out_of_range"), (#"{"days":"7"}"#, "days: wrong_type"),
            (#"{"days":36526}"#, "days: out_of_range"), (#"{"legalHold":null}"#, "legalHold: required"),
            (#"{"hold":true}"#, "hold: unknown_key"),
        ] {
            let reply = try await house.call(.put, path, as: .owner, body)
            #expect(reply.status == 400 && reply.problems == [problem], "\(reply.text)")
        }
    }
}
