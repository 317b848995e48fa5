import ArgumentParser
import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Roles and entities on the command line") struct RoleArgumentTests {
    @Test(
        "a role is typed in either case, with hyphens, underscores or spaces",
        arguments: ["property-manager", "PROPERTY_MANAGER", "Property Manager"])
    func typed(_ text: String) throws { #expect(try Doorward.Role(typed: text) == .propertyManager) }

    @Test(
        "a role determines the kinds of entity that it can be held on",
        arguments: [
            ("owner", [.portfolio]), ("portfolio-admin", [.portfolio]), ("auditor", [.portfolio, .property]),
            ("property-manager", [.property]), ("maintenance", [.property]), ("tenant", [.unit]),
        ] as [(String, [AssociatedEntityType])])
    func kinds(_ text: String, _ kinds: [AssociatedEntityType]) throws { #expect(try Doorward.Role(typed: text).kinds == kinds) }

    @Test("every role that can be assigned has a name, and no other has")
    func names() {
        #expect(Doorward.Role.typedNames == ["owner", "portfolio-admin", "property-manager", "maintenance", "auditor", "tenant"])
        for name in Doorward.Role.typedNames { #expect(Doorward.Role.help.contains(name)) }
    }

    @Test(
        "any other role is an error that names the most similar one or all",
        arguments: [
            ("tenent", "Did you mean `tenant`?"), ("guest", "The roles are owner, "), ("super-admin", "The roles are owner, "),
            ("", "The roles are owner, "),
        ])
    func unknown(_ text: String, _ hint: String) throws {
        let error = #expect(throws: ValidationError.self) { try Doorward.Role(typed: text) }
        let message = try #require(error).message
        #expect(message.hasPrefix("There is no role named `\(text)`. \(hint)"), "\(message)")
    }

    @Test("a unit is found by its own name, and by its property's name and its own")
    func unitNames() {
        let unit = Doorward.Unit(id: "u", name: "1A")
        #expect(NameResolver.matches(unit, property: nil, place: nil) == [NameMatch(id: "u", name: "1A", place: nil)])
        let matches = NameResolver.matches(unit, property: "Quay 1", place: "unit")
        #expect(matches.map(\.name) == ["1A", "Quay 1 / 1A"])
        #expect(matches.map(\.place) == ["unit in Quay 1", "unit in Quay 1"])
    }

    @Test("two units with the same name are told apart by their properties, and each id is listed once")
    func sameName() throws {
        let units: [NameMatch] = [("0199aaaa-1", "Quay 1"), ("0199aaaa-2", "Quay 2")].flatMap { id, property in
            NameResolver.matches(Doorward.Unit(id: id, name: "1A"), property: property, place: nil)
        }
        func one(_ text: String) throws -> String { try NameMatch.one(text, of: units, noun: "unit", listing: "L.").id }
        #expect(try one("quay 2 / 1a") == "0199aaaa-2")
        #expect(
            throws: CommandFailure(
                "More than one unit is named `1A`. Use the id of one of them:\n  1A  Quay 1  0199aaaa-1\n  1A  Quay 2  0199aaaa-2"
            )
        ) { try one("1A") }
        #expect(
            throws: CommandFailure(
                "The id of more than one unit begins with `0199aa`. Type more of it:\n  1A  Quay 1  0199aaaa-1\n"
                    + "  1A  Quay 2  0199aaaa-2")
        ) { try one("0199aa") }
    }

    @Test(
        "the error about an unknown name says how to list the names",
        arguments: [
            ([.property], "`doorward property list` lists the properties that you may see."),
            (
                [.portfolio, .property, .unit],
                "`doorward portfolio list`, `doorward property list` and `doorward unit list` list what you may see."
            ),
        ] as [([AssociatedEntityType], String)])
    func listing(_ kinds: [AssociatedEntityType], _ sentence: String) { #expect(NameResolver.listing(kinds) == sentence) }
}
