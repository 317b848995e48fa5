import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct RecordFilterTests {
    /// Makes a house with commands of several users on several doors, one second apart, some of them denied.
    private func lived() async throws -> House {
        let house = try await House()
        for person in [House.Person.tenant, .manager, .guest, .stranger, .auditor] {
            _ = try await house.command(as: person)
            house.clock.advance(by: .seconds(1))
        }
        _ = try await house.command("lock", as: .owner, on: house.ids.frontDoor)
        _ = try await house.command(as: .stranger, on: house.ids.foreignDoor)
        return house
    }

    private func list(_ house: House, _ query: String, as person: House.Person = .owner) async throws -> [JSONValue] {
        let reply = try await house.call(.get, "/access-records?limit=500&order=asc\(query)", as: person)
        #expect(reply.status == 200, "\(query): \(reply.text)")
        return reply.data["accessRecords"].elements
    }

    @Test("Each filter returns the matching records of the unfiltered list")
    func each() async throws {
        let house = try await lived()
        let all = try await list(house, "")
        let ids = house.ids
        let instant = try #require(all[all.count / 2]["at"].text)
        let filters: [(String, (JSONValue) -> Bool)] = [
            ("&deviceId=\(ids.door)", { $0["deviceId"].text == ids.door.description }),
            ("&unitId=\(ids.unit)", { $0["unitId"].text == ids.unit.description }),
            ("&propertyId=\(ids.property)", { $0["propertyId"].text == ids.property.description }),
            ("&portfolioId=\(ids.portfolio)", { $0["logId"].text == ids.portfolio.description }),
            ("&logId=\(ids.portfolio)", { $0["logId"].text == ids.portfolio.description }),
            ("&userId=\(ids[.manager])", { $0["actorUserId"].text == ids[.manager].description }),
            ("&decision=DENIED", { $0["decision"].text == "DENIED" }),
            ("&decision=ALLOWED", { $0["decision"].text == "ALLOWED" }),
            ("&kind=COMMAND_OUTCOME", { $0["kind"].text == "COMMAND_OUTCOME" }),
            ("&operation=LOCK", { $0["operation"].text == "LOCK" }),
            ("&reason=no_association", { $0["reason"].text == "no_association" }),
            ("&outcome=CONFIRMED&kind=COMMAND_OUTCOME", { $0["outcome"].text == "CONFIRMED" }),
            ("&from=\(instant)", { ($0["at"].text ?? "") >= instant }),
            ("&until=\(instant)", { ($0["at"].text ?? "") < instant }),
            (
                "&userId=\(ids[.tenant])&decision=ALLOWED&deviceId=\(ids.door)",
                { $0["actorUserId"].text == ids[.tenant].description && $0["decision"].text == "ALLOWED" }
            ),
        ]
        for (query, holds) in filters {
            let expected = all.filter(holds)
            #expect(!expected.isEmpty, "\(query)")
            #expect(try await list(house, query) == expected, "\(query)")
        }
    }

    @Test("A filter by an id that is not visible, unknown or malformed returns an empty list")
    func outside() async throws {
        let house = try await lived()
        let ids = house.ids
        for query in [
            "deviceId=\(ids.foreignDoor)", "unitId=\(ids.foreignUnit)", "propertyId=\(ids.otherProperty)",
            "portfolioId=\(ids.otherPortfolio)", "logId=\(ids.otherPortfolio)", "logId=gateway", "userId=\(ids[.stranger])",
            "userId=\(UserID(high: 7, low: 7))", "userId=nonsense", "deviceId=nonsense", "logId=nonsense",
            "logId=gateway&portfolioId=\(ids.portfolio)",
        ] {
            #expect(try await list(house, "&" + query).isEmpty, "\(query)")
        }
        let tenants = try await list(house, "&userId=\(ids[.manager])", as: .tenant)
        #expect(tenants.isEmpty, "a resident sees only the label `staff`")
        #expect(try await list(house, "&userId=\(ids[.tenant])", as: .tenant).count == 2)
        #expect(try await list(house, "&reason=no_association", as: .tenant).isEmpty, "a resident does not see reasons")
        #expect(try await list(house, "&kind=DENIAL", as: .tenant).count == 2)
        #expect(try await list(house, "&decision=DENIED", as: .superAdmin).allSatisfy { $0["logId"].text == "gateway" })
    }

    @Test(
        "An unknown filter or an invalid value is rejected, and the error names it",
        arguments: [
            ("decision=MAYBE", "decision: unknown_value"), ("decision=allowed", "decision: unknown_value"),
            ("from=yesterday", "from: bad_time"), ("until=2026-01-01T00:00:00", "until: missing_zone"),
            ("kind=denial", "kind: unknown_value"), ("outcome=ACCEPTED", "outcome: unknown_value"),
            ("operation=OPEN", "operation: unknown_value"), ("reason=because", "reason: unknown_value"),
            ("user=x", "user: unknown_key"), ("from=", "from: bad_time"),
            ("userId=a&userId=b", "userId: duplicate_key"),
        ])
    func mistakes(_ query: String, _ problem: String) async throws {
        let house = try await House()
        for path in ["/access-records", "/devices/\(house.ids.door)/access-records"] {
            let reply = try await house.call(.get, "\(path)?\(query)", as: .owner)
            #expect(reply.status == 400)
            #expect(reply.problems == [problem])
        }
    }

    @Test("The history of one lock accepts the other filters, but no `deviceId`")
    func ofDevice() async throws {
        let house = try await lived()
        let path = "/devices/\(house.ids.door)/access-records"
        let mine = try await house.call(.get, "\(path)?userId=\(house.ids[.manager])&decision=ALLOWED", as: .owner)
        #expect(mine.data["accessRecords"].elements.map { $0["actorUserId"].text } == [house.ids[.manager].description])
        #expect(
            try await house.call(.get, "\(path)?deviceId=\(house.ids.door)", as: .owner).problems == ["deviceId: unknown_key"])
    }

    @Test("A cursor is valid only with the filters that it was made for, in any order")
    func cursors() async throws {
        let house = try await lived()
        let filters = "decision=ALLOWED&unitId=\(house.ids.unit)"
        let first = try await house.call(.get, "/access-records?limit=2&\(filters)", as: .owner)
        let cursor = try #require(first.data["nextCursor"].text)
        let swapped = "/access-records?cursor=\(cursor)&unitId=\(house.ids.unit)&limit=2&decision=ALLOWED"
        let second = try await house.call(.get, swapped, as: .owner)
        let found = (first.data["accessRecords"].elements + second.data["accessRecords"].elements).compactMap { $0["id"].text }
        let whole = try await list(house, "&" + filters).reversed().compactMap { $0["id"].text }
        #expect(found == Array(whole.prefix(4)))
        for other in ["decision=ALLOWED", "decision=DENIED&unitId=\(house.ids.unit)", filters + "&userId=\(house.ids[.tenant])"] {
            let reply = try await house.call(.get, "/access-records?limit=2&\(other)&cursor=\(cursor)", as: .owner)
            #expect(reply.problems == ["cursor: bad_cursor"], "\(other)")
        }
    }
}
