import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardStreams

/// Lists: order, pages, searches, and what is kept of them.
@Suite struct ListTests {
    /// Names with equal ones, in different cases, and with accents.
    private static let names = ["b", "A", "a", "B", "É", "e\u{301}", "zz top", "Zz", "c", "a"]

    @Test(
        "every page of a sorted list is that of a plain sort, ascending and descending, with ties by id",
        arguments: [true, false])
    func pages(isDescending: Bool) async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        for name in Self.names {
            house.clock.advance(by: .seconds(1))
            let new = NewUnit(name: name, tenants: [], devices: [])
            _ = try await portfolios.createUnit(owner, in: house.ids.property, new, repeatable: nil)
        }
        let all = house.control.directory.current.unitIDs.compactMap { house.control.directory.current.unit($0) }
        for key in [nil, NameOrCreatedAt.name, .createdAt] {
            let expected = all.sorted { a, b in
                let (first, second) = isDescending ? (b, a) : (a, b)
                switch key {
                case .name where Array(first.name.lowercased().utf8) != Array(second.name.lowercased().utf8):
                    return first.name.lowercased().utf8.lexicographicallyPrecedes(second.name.lowercased().utf8)
                case .createdAt where first.createdAt != second.createdAt: return first.createdAt < second.createdAt
                default: return a.id < b.id
                }
            }
            for page in 1...5 {
                let request = PageRequest<NameOrCreatedAt>(page: page, limit: 3, key: key, isDescending: isDescending)
                // The second read is from the kept order.
                for _ in 0..<2 {
                    let found = try portfolios.units(for: owner, under: .any, request)
                    #expect(found.items.map(\.id) == expected.dropFirst((page - 1) * 3).prefix(3).map(\.id))
                    #expect(found.totalItems == all.count)
                }
            }
        }
    }

    @Test("a cached list is read again after a change, and readers with different rights have different lists")
    func changes() async throws {
        let house = try await House()
        let portfolios = house.control.portfolios
        func units(_ user: UserID) throws -> [String] {
            try portfolios.units(for: house.caller(user), under: .any, PageRequest(limit: 9, key: .name)).items.map(\.name)
        }
        #expect(try units(house.ids.owner) == ["2B"] && units(house.ids.stranger) == [])
        let new = NewUnit(name: "1A", tenants: [house.ids.stranger], devices: [])
        _ = try await portfolios.createUnit(house.caller(house.ids.owner), in: house.ids.property, new, repeatable: nil)
        #expect(try units(house.ids.owner) == ["1A", "2B"] && units(house.ids.stranger) == ["1A"])
        #expect(try units(house.ids.tenant) == ["2B"])
        _ = try await house.control.roles.remove(
            house.caller(house.ids.owner), house.ids.tenant, from: .unit(house.ids.unit))
        #expect(try units(house.ids.tenant) == [])
    }

    @Test("which devices a guest sees follows the clock, also within one version of the tenancy")
    func guest() async throws {
        let house = try await House()
        func devices() -> [DeviceID] {
            house.control.attachedDevices.list(for: house.caller(house.ids.guest), DeviceFilter(), PageRequest(limit: 9)).items
                .map(\.id)
        }
        #expect(devices() == [house.ids.door])
        house.clock.advance(by: .seconds(25 * 3600))
        #expect(devices() == [])
    }

    @Test("a search selects by a part of the name in every case and normal form, and pages and totals are those of the selection")
    func search() async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        for name in Self.names {
            let new = NewUnit(name: name, tenants: [], devices: [])
            _ = try await portfolios.createUnit(owner, in: house.ids.property, new, repeatable: nil)
        }
        func found(_ text: String, page: Int = 1) throws -> (names: [String], total: Int) {
            let request = PageRequest<NameOrCreatedAt>(page: page, limit: 2, key: .name, search: NameSearch(text))
            let units = try portfolios.units(for: owner, under: .path(house.ids.property), request)
            return (units.items.map { $0.name.lowercased() }, units.totalItems)
        }
        #expect(try found("A") == (["a", "a"], 3) && found("A", page: 2) == (["a"], 3) && found("A", page: 3) == ([], 3))
        #expect(try found("zZ") == (["zz", "zz top"], 2))
        #expect(try found("é").total == 2 && found("e\u{301}").total == 2 && found("E\u{301}").total == 2)
        #expect(try found("z t").names == ["zz top"] && found("xyz").total == 0)
    }

    @Test(
        "a name contains a text if any of its parts equals it, ignoring case",
        arguments: [
            ("Front Door", "front", true), ("Front Door", "T D", true), ("Front Door", "door", true),
            ("Front Door", "doors", false),
            ("aab", "ab", true), ("", "a", false), ("Straße", "STRASSE", false), ("Straße", "RAß", true),
            ("ÅNGSTRÖM", "a\u{30A}ng", true),
        ])
    func matches(name: String, text: String, isFound: Bool) {
        #expect(NameSearch(text).matches(name) == isFound)
        // Another text than an ASCII one is not searched for in the kept names.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let numbers = SearchableNames([name, nil, "~", name, "", name]).numbers(containing: Array(text.lowercased().utf8))
        #expect(numbers == (isFound ? [0, 3, 5] : []))
    }

    @Test("a search is of the names of its own version of the tenancy, in the order of its list")
    func searchAfterChange() async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        func found(_ isDescending: Bool = false) throws -> [String] {
            let request = PageRequest<NameOrCreatedAt>(
                page: 1, limit: 9, key: .name, isDescending: isDescending, search: NameSearch("z"))
            return try portfolios.units(for: owner, under: .path(house.ids.property), request).items.map(\.name)
        }
        for name in ["Z1", "aZ", "b"] {
            #expect(try !found().contains(name))
            let new = NewUnit(name: name, tenants: [], devices: [])
            _ = try await portfolios.createUnit(owner, in: house.ids.property, new, repeatable: nil)
        }
        #expect(try found() == ["aZ", "Z1"] && found(true) == ["Z1", "aZ"])
        #expect(try found() == ["aZ", "Z1"])
    }
}
