import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// An id that is not visible to the caller gives exactly the same response as one that does not exist or is malformed.
@Suite struct OracleTests {
    /// A request that contains an id.
    struct Probe: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        /// The path; `#` in it or in the body is replaced by the id.
        let path: String
        var body: String?
        let kind: Kind

        enum Kind: Sendable { case portfolio, property, unit, device, user, guestAccess, command }

        var testDescription: String { "\(method) \(path) \(body ?? "")" }
    }

    static let probes: [Probe] = [
        Probe(method: .get, path: "/portfolios/#", kind: .portfolio),
        Probe(method: .get, path: "/portfolios/#/properties", kind: .portfolio),
        Probe(method: .post, path: "/portfolios/#/properties", body: #"{"name":"n"}"#, kind: .portfolio),
        Probe(method: .get, path: "/portfolios/#/admins", kind: .portfolio),
        Probe(method: .post, path: "/portfolios/#/admins", body: #"{"userId":"@","role":"OWNER"}"#, kind: .portfolio),
        Probe(method: .delete, path: "/portfolios/#/admins/@", kind: .portfolio),
        Probe(method: .post, path: "/properties", body: ##"{"name":"n","portfolioId":"#"}"##, kind: .portfolio),
        Probe(method: .get, path: "/portfolios/#/subscription", kind: .portfolio),
        Probe(method: .put, path: "/portfolios/#/subscription", body: #"{"tier":"pro"}"#, kind: .portfolio),
        Probe(method: .get, path: "/portfolios/#/retention", kind: .portfolio),
        Probe(method: .put, path: "/portfolios/#/retention", body: #"{"days":1}"#, kind: .portfolio),
        Probe(method: .get, path: "/properties/#", kind: .property),
        Probe(method: .post, path: "/properties/#/lockdown", body: #"{"reason":"r"}"#, kind: .property),
        Probe(method: .delete, path: "/properties/#/lockdown", kind: .property),
        Probe(method: .get, path: "/properties/#/units", kind: .property),
        Probe(method: .post, path: "/properties/#/units", body: #"{"name":"n"}"#, kind: .property),
        Probe(method: .get, path: "/properties/#/managers", kind: .property),
        Probe(method: .post, path: "/properties/#/managers", body: #"{"userId":"@","role":"AUDITOR"}"#, kind: .property),
        Probe(method: .delete, path: "/properties/#/managers/@", kind: .property),
        Probe(method: .post, path: "/units", body: ##"{"name":"n","propertyId":"#"}"##, kind: .property),
        Probe(
            method: .post, path: "/devices", body: ##"{"name":"n","adapter":"scripted","address":{},"propertyId":"#"}"##,
            kind: .property),
        Probe(method: .get, path: "/units/#", kind: .unit),
        Probe(method: .get, path: "/units/#/tenants", kind: .unit),
        Probe(method: .post, path: "/units/#/tenants", body: #"{"userId":"@","role":"TENANT"}"#, kind: .unit),
        Probe(method: .delete, path: "/units/#/tenants/@", kind: .unit),
        Probe(method: .get, path: "/units/#/devices", kind: .unit),
        Probe(method: .get, path: "/devices/#", kind: .device),
        Probe(method: .put, path: "/devices/#", body: #"{"name":"n"}"#, kind: .device),
        Probe(method: .delete, path: "/devices/#", kind: .device),
        Probe(method: .get, path: "/devices/#/status", kind: .device),
        Probe(method: .get, path: "/devices/#/permissions", kind: .device),
        Probe(method: .get, path: "/devices/#/who-can?operation=UNLOCK", kind: .device),
        Probe(method: .post, path: "/authorize", body: ##"{"deviceId":"#","operation":"UNLOCK"}"##, kind: .device),
        Probe(method: .post, path: "/authorize", body: ##"{"deviceId":"#","operation":"UNLOCK","userId":"@"}"##, kind: .device),
        Probe(method: .get, path: "/devices/#/access-records", kind: .device),
        Probe(method: .post, path: "/devices/#/lock", kind: .device),
        Probe(method: .post, path: "/devices/#/unlock", kind: .device),
        Probe(method: .post, path: "/devices/#/unlatch", body: #"{"reason":"r"}"#, kind: .device),
        Probe(method: .post, path: "/simulator/devices/#/events", body: #"{"event":"jam"}"#, kind: .device),
        Probe(
            method: .post, path: "/guest-access",
            body: ##"{"label":"l","deviceIds":["#"],"operations":["UNLOCK"],"validFrom":"2026-11-21T08:00:00Z","##
                + ##""validUntil":"2026-11-22T08:00:00Z"}"##, kind: .device),
        Probe(method: .get, path: "/users/#", kind: .user),
        Probe(method: .put, path: "/users/#", body: #"{"firstName":"n"}"#, kind: .user),
        Probe(method: .put, path: "/users/me", body: ##"{"defaultUnitId":"#"}"##, kind: .unit),
        Probe(method: .put, path: "/users/me", body: ##"{"defaultPropertyId":"#"}"##, kind: .property),
        Probe(method: .put, path: "/users/me", body: ##"{"defaultPortfolioId":"#"}"##, kind: .portfolio),
        Probe(
            method: .post, path: "/guest-access?dryRun=true",
            body: ##"{"label":"l","deviceIds":["#"],"operations":["UNLOCK"],"validFrom":"2026-11-21T08:00:00Z","##
                + ##""validUntil":"2026-11-22T08:00:00Z"}"##, kind: .device),
        Probe(method: .put, path: "/guest-access/#?dryRun=true", body: #"{"label":"l"}"#, kind: .guestAccess),
        Probe(method: .get, path: "/guest-access/#", kind: .guestAccess),
        Probe(method: .delete, path: "/guest-access/#", kind: .guestAccess),
        Probe(method: .post, path: "/guest-access/#/link", kind: .guestAccess),
        Probe(method: .delete, path: "/guest-access/#/link", kind: .guestAccess),
        Probe(method: .get, path: "/commands/#", kind: .command),
        Probe(method: .put, path: "/portfolios/#", body: #"{"name":"n"}"#, kind: .portfolio),
        Probe(method: .delete, path: "/portfolios/#", kind: .portfolio),
        Probe(method: .delete, path: "/portfolios/#?cascade=true&dryRun=true", kind: .portfolio),
        Probe(method: .put, path: "/properties/#", body: #"{"name":"n","managerUserIds":["@"]}"#, kind: .property),
        Probe(method: .delete, path: "/properties/#?cascade=true", kind: .property),
        Probe(method: .put, path: "/units/#", body: #"{"name":"n","tenantUserIds":["@"]}"#, kind: .unit),
        Probe(method: .delete, path: "/units/#?dryRun=true", kind: .unit),
        Probe(method: .post, path: "/units/#/devices", body: #"{"deviceId":"@"}"#, kind: .unit),
        Probe(method: .delete, path: "/units/#/devices/@", kind: .unit),
        Probe(method: .delete, path: "/users/#", kind: .user),
        Probe(method: .delete, path: "/users/#/personal-data", kind: .user),
    ]

    /// Ids that were never assigned: a well-formed one, malformed ones, wildcards, control characters.
    private static let inexistent = [
        "01a1fd86-0000-7000-8000-000000000000", "42", "*", "%25", "%00", "01A1FD86-0000-7000-8000-000000000000", "me%2Fyou", "_",
    ]

    private func foreign(_ kind: Probe.Kind, _ house: House, command: String) -> String {
        switch kind {
        case .portfolio: house.ids.otherPortfolio.description
        case .property: house.ids.otherProperty.description
        case .unit: house.ids.foreignUnit.description
        case .device: house.ids.foreignDoor.description
        case .user: house.ids[.stranger].description
        case .guestAccess: house.ids.foreignGuestAccess.description
        case .command: command
        }
    }

    private func ask(_ probe: Probe, id: String, by person: House.Person, _ house: House) async throws -> String {
        func filled(_ text: String) -> String {
            text.replacing("@", with: house.ids[.tenant].description).replacing("#", with: id)
        }
        let reply = try await house.call(probe.method, filled(probe.path), as: person, probe.body.map(filled))
        return reply.withoutRequestID
    }

    /// All users except the super admin, who may see everything, and the stranger, who owns the foreign entities. The manager has
    /// a role in the other portfolio too and is left out for that reason.
    private static let callers = House.Person.allCases.filter { ![.superAdmin, .stranger, .manager].contains($0) }

    @Test("Foreign, unknown and malformed ids get the same response, byte for byte", arguments: probes)
    func sameAnswer(_ probe: Probe) async throws {
        let house = try await House()
        let command = try await house.command(as: .stranger, on: house.ids.foreignDoor).data["command"]["id"].text ?? ""
        for caller in Self.callers {
            if caller == .nobody, probe.kind == .guestAccess { continue }
            let answer = try await ask(probe, id: foreign(probe.kind, house, command: command), by: caller, house)
            #expect(answer.hasPrefix("403\n"))
            #expect(answer.contains(#""code":"forbidden""#) && answer.contains(#""details":{}"#))
            for id in Self.inexistent {
                let other = try await ask(probe, id: id, by: caller, house)
                #expect(other == answer, "\(id) as \(caller)")
            }
        }
    }

    @Test("For a super admin a missing id is 404, because nothing is hidden from them", arguments: probes)
    func superAdmin(_ probe: Probe) async throws {
        let house = try await House()
        for id in Self.inexistent.prefix(3) {
            let answer = try await ask(probe, id: id, by: .superAdmin, house)
            #expect(answer.hasPrefix("404\n"), "\(id): \(answer)")
        }
    }

    @Test(
        "A filter by a foreign id returns an empty list, like a filter by an unknown id",
        arguments: [
            ("/devices?propertyId=", Probe.Kind.property), ("/devices?unitId=", .unit), ("/properties?portfolioId=", .portfolio),
            ("/units?propertyId=", .property), ("/guest-access?deviceId=", .device), ("/guest-access?unitId=", .unit),
            ("/guest-access?propertyId=", .property), ("/commands?deviceId=", .device), ("/access-records?deviceId=", .device),
        ])
    func filters(_ path: String, _ kind: Probe.Kind) async throws {
        let house = try await House()
        _ = try await house.command(as: .stranger, on: house.ids.foreignDoor)
        for caller in Self.callers where caller != .nobody {
            let answer = try await house.call(.get, path + foreign(kind, house, command: ""), as: caller)
            #expect(answer.status == 200)
            #expect(!answer.text.contains(foreign(kind, house, command: "")))
            for id in Self.inexistent {
                let other = try await house.call(.get, path + id, as: caller)
                #expect(other.withoutRequestID == answer.withoutRequestID)
            }
        }
    }

    @Test("No list contains anything of the other portfolio")
    func lists() async throws {
        let house = try await House()
        _ = try await house.command(as: .stranger, on: house.ids.foreignDoor)
        let foreign = [
            house.ids.otherPortfolio.description, house.ids.foreignUnit.description, house.ids[.stranger].description,
            house.ids.foreignGuestAccess.description,
        ]
        for caller in Self.callers where caller != .nobody {
            for path in ["portfolios", "properties", "units", "devices", "users", "guest-access", "commands", "access-records"] {
                let reply = try await house.call(.get, "/\(path)", as: caller)
                #expect(reply.status == 200 || (path == "users" && reply.code == "role_insufficient"))
                for id in foreign { #expect(!reply.text.contains(id), "\(path) as \(caller)") }
            }
        }
    }
}
