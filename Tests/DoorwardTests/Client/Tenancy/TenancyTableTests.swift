import FoundationEssentials
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Tables of places, people and rights") struct TenancyTableTests {
    private static let ids = ["0199aaaa-0001-7000-8000-000000000000", "0199bbbb-0002-7000-8000-000000000000"]
    private static let time = "2030-01-01T00:00:00.000Z"
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func terminal(_ columns: Int?) -> OutputStyle {
        OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: columns)
    }

    private func decoded<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    private var portfolios: [Doorward.Portfolio] {
        get throws {
            try decoded(
                #"[{"id":"\#(Self.ids[0])","name":"Harbour Homes of the northern harbour","administratorUserIds":["u","v"],"#
                    + #""propertyIds":["p"],"createdAt":"\#(Self.time)"},{"id":"\#(Self.ids[1])","name":"\u001B[2JHills"}]"#)
        }
    }

    private var properties: [Doorward.Property] {
        get throws {
            try decoded(
                #"[{"id":"\#(Self.ids[0])","name":"Quay 1","portfolioId":"a","unitIds":["u"],"defaultTimeZone":"Europe/Berlin","#
                    + #""lockdown":{"active":true}},"#
                    + #"{"id":"\#(Self.ids[1])","name":"Quay 2","portfolioId":"b","lockdown":{"active":false}}]"#)
        }
    }

    private var units: [Doorward.Unit] {
        get throws {
            try decoded(
                #"[{"id":"\#(Self.ids[0])","name":"1A","propertyId":"p","tenantUserIds":["u"],"deviceIds":["d","e"]},"#
                    + #"{"id":"\#(Self.ids[1])","name":"1B","propertyId":"q","deviceIds":[]}]"#)
        }
    }

    private func role(_ role: String, _ type: String, _ id: String) -> String {
        #"{"id":"r","userId":"u","associatedEntityType":"\#(type)","associatedEntityId":"\#(id)","#
            + #""roleWithinEntity":"\#(role)","createdAt":"\#(Self.time)","updatedAt":"\#(Self.time)"}"#
    }

    private var users: [Doorward.User] {
        get throws {
            let roles = "\(role("PROPERTY_MANAGER", "PROPERTY", "p")),\(role("TENANT", "UNIT", "x"))"
            return try decoded(
                #"[{"id":"\#(Self.ids[0])","firstName":"Max","lastName":"Manager","email":"max@doors.example","isEnabled":true,"#
                    + #""roleAssociations":[\#(roles)]},"#
                    + #"{"id":"\#(Self.ids[1])","firstName":"Root","isSuperAdmin":true,"isEnabled":false,"roleAssociations":[]}]"#
            )
        }
    }

    private var keys: [Doorward.APIKey] {
        get throws {
            try decoded(
                #"[{"id":"\#(Self.ids[0])","name":"The display at the door","entityType":"PROPERTY","entityId":"p","#
                    + #""role":"AUDITOR","userId":"u","createdAt":"\#(Self.time)","expiresAt":"\#(Self.time)"}]"#)
        }
    }

    private var sessions: [Doorward.OwnSession] {
        get throws {
            try decoded(
                #"[{"id":"\#(Self.ids[0])","createdAt":"\#(Self.time)","expiresAt":"\#(Self.time)","isCurrent":true},"#
                    + #"{"id":"\#(Self.ids[1])","createdAt":"\#(Self.time)","expiresAt":"\#(Self.time)","isCurrent":false}]"#)
        }
    }

    /// All tables in a style.
    private func tables(_ style: OutputStyle) throws -> [[String]] {
        [
            Doorward.Portfolio.lines(try portfolios, style),
            Doorward.Property.lines(try properties, names: ["a": "Harbour"], style),
            Doorward.Unit.lines(try units, names: ["p": "Quay 1"], style),
            Doorward.User.lines(try users, names: ["p": "Quay 1"], style), RoleList.lines(try users, style),
            Doorward.APIKey.lines(try keys, names: ["p": "Quay 1"], style), SessionList.lines(try sessions, style),
        ]
    }

    @Test("in a pipe each row has all values; values that the reader may not see are `-`, and ids stand for unknown names")
    func rows() throws {
        let tables = try tables(pipe)
        #expect(
            tables[0] == [
                "Harbour Homes of the northern harbour\t1\t2\t\(Self.time)\t\(Self.ids[0])",
                "\u{241B}[2JHills\t-\t-\t-\t\(Self.ids[1])",
            ])
        #expect(
            tables[1] == [
                "Quay 1\tHarbour\t1\tEurope/Berlin\tactive\t\(Self.ids[0])", "Quay 2\tb\t-\t-\toff\t\(Self.ids[1])",
            ])
        #expect(tables[2] == ["1A\tQuay 1\t1\t2\t\(Self.ids[0])", "1B\tq\t-\t0\t\(Self.ids[1])"])
        #expect(
            tables[3] == [
                "Max Manager\tmax@doors.example\tproperty manager of Quay 1, tenant of x\tenabled\t\(Self.ids[0])",
                "Root\t-\tsuper admin\tdisabled\t\(Self.ids[1])",
            ])
        #expect(
            tables[4] == [
                "Max Manager\tmax@doors.example\tproperty manager\t\(Self.time)\t\(Self.ids[0])",
                "Max Manager\tmax@doors.example\ttenant\t\(Self.time)\t\(Self.ids[0])",
            ], "a person without a role there is not listed")
        #expect(tables[5] == ["The display at the door\tauditor\tQuay 1\t\(Self.time)\t\(Self.ids[0])"])
        #expect(
            tables[6] == ["\(Self.time)\t\(Self.time)\tyes\t\(Self.ids[0])", "\(Self.time)\t\(Self.time)\tno\t\(Self.ids[1])"])
    }

    @Test("on a terminal every table fits the window and keeps ids that can be typed", arguments: [80, 120])
    func fits(_ columns: Int) throws {
        for lines in try tables(terminal(columns)) {
            #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(lines)")
            #expect(lines[1].hasSuffix("0199aaaa"), "\(lines)")
            #expect(!lines.joined().contains("\u{1B}"))
        }
        #expect(try tables(terminal(nil)).allSatisfy { $0[1].hasSuffix(Self.ids[0]) }, "--wide shows whole ids")
    }

    @Test("an empty table is a sentence on a terminal, and nothing in a pipe")
    func empty() {
        func lines(_ style: OutputStyle) -> [[String]] {
            [
                Doorward.Portfolio.lines([], style), Doorward.Property.lines([], style),
                Doorward.Unit.lines([], style), Doorward.User.lines([], style), RoleList.lines([], style),
                Doorward.APIKey.lines([], style), SessionList.lines([], style),
            ]
        }
        #expect(lines(pipe).joined().isEmpty)
        #expect(lines(terminal(80)).allSatisfy { $0.count == 1 && $0[0].hasSuffix(".") })
    }

    @Test("one object is shown with the name of each value")
    func shown() throws {
        #expect(
            try portfolios[0].lines(pipe) == [
                "name\tHarbour Homes of the northern harbour", "properties\t1", "admins\t2", "created\t\(Self.time)",
                "changed\t-",
                "id\t\(Self.ids[0])",
            ])
        #expect(
            try units[0].lines(names: ["p": "Quay 1"], pipe) == [
                "name\t1A", "property\tQuay 1", "tenants\t1", "locks\t2", "common areas\t-", "created\t-", "changed\t-",
                "id\t\(Self.ids[0])",
            ])
        #expect(
            try users[1].lines(pipe) == [
                "name\tRoot", "email\t-", "roles\tsuper admin", "status\tdisabled", "created\t-", "changed\t-",
                "id\t\(Self.ids[1])",
            ])
    }

    @Test("a property is shown with its address, and a lockdown with its beginning and reason")
    func property() throws {
        var property: Doorward.Property = try decoded(
            #"{"id":"p","name":"Quay 1","portfolioId":"a","address":{"street":"Quay 1","city":"Hamburg","postalCode":"01234","#
                + #""state":"","country":"DE"},"lockdown":{"active":true,"since":"\#(Self.time)","reason":"fire\u001B"}}"#)
        let lines = property.lines(names: ["a": "Harbour"], pipe)
        #expect(lines[1...2] == ["portfolio\tHarbour", "address\tQuay 1, 01234 Hamburg, DE"])
        #expect(lines.contains("lockdown\tactive") && lines.contains("in lockdown since\t\(Self.time)"))
        #expect(lines.contains("lockdown reason\tfire\u{241B}"))
        (property.lockdown, property.address) = (Doorward.Property.Lockdown(active: false), nil)
        let released = property.lines(pipe)
        #expect(released.contains("lockdown\toff") && released.contains("address\t-") && released[1] == "portfolio\ta")
        #expect(!released.contains { $0.contains("since") })
    }
}
