import DoorwardDomain
import DoorwardMQTT
import Foundation
import Testing

@testable import AdapterMQTT

@Suite struct ProfilesPageTests {
    private static func page() throws -> String {
        var folder = URL(filePath: #filePath)
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        return try String(contentsOf: folder.appending(path: "docs/profiles.md"), encoding: .utf8)
    }

    /// Returns the texts in backticks, by row and cell, of the tables under a heading.
    private static func rows(under heading: String, cells: Int) throws -> [[[String]]] {
        let page = try page()
        let start = try #require(page.firstRange(of: "\n\(heading)\n"))
        let rest = page[start.upperBound...]
        let section = rest.firstRange(of: "\n### ").map { rest[..<$0.lowerBound] } ?? rest
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.split(separator: "|").map { cell in cell.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
        }.filter { $0.count == cells }
    }

    @Test("the page lists exactly the keys that each section allows", arguments: ProfileKeys.sections.keys.sorted())
    func keys(_ section: String) throws {
        let rows = try Self.rows(under: "### Where a key stands", cells: 3)
        let documented = rows.filter { $0[1].contains(section) }.flatMap { $0[0] }
        let taken = try #require(ProfileKeys.sections[section])
        #expect(Set(documented).symmetricDifference(taken) == [], "the page and the reader differ")
        #expect(documented.count == Set(documented).count, "a key is listed twice")
    }

    @Test("the page lists exactly the existing sections, and explains each")
    func sections() throws {
        let rows = try Self.rows(under: "### Where a key stands", cells: 3)
        #expect(Set(rows.flatMap { $0[1] }) == Set(ProfileKeys.sections.keys))
        let names = try Self.rows(under: "### Where a key stands", cells: 2).flatMap { $0[0] }
        #expect(Set(names) == Set(ProfileKeys.sections.keys))
    }

    @Test("the page lists exactly the values that a profile may use")
    func words() throws {
        let rows = try Self.rows(under: "### Words", cells: 2).map { $0[1] }
        let faults = LockFault.ofLocks.map(\.rawValue)
        let words: [[String]] = [
            BoltState.allCases.map(\.rawValue) + ["asBefore"], DoorPosition.allCases.map(\.rawValue), faults + ["none"],
            LockEvent.Kind.allCases.map(\.rawValue), LockEvent.Operation.allCases.map(\.rawValue),
            LockEvent.Method.allCases.map(\.rawValue), RejectionReason.allCases.map(\.rawValue),
            ValueType.allCases.map(\.rawValue),
            ["text", "integer", "boolean", "any"], ProfileBody.Mode.allCases.map(\.rawValue),
            ProfileQuirk.allCases.map(\.rawValue), DialectHook.allCases.map(\.rawValue),
        ]
        #expect(rows.dropFirst(rows.count - words.count).map(Set.init) == words.map(Set.init))
        let page = try Self.page()
        for ability in ProfileCapability.allCases { #expect(page.contains(ability.rawValue), "\(ability)") }
        for source in EventMapping.Source.allCases { #expect(page.contains("`\(source.rawValue)`"), "\(source)") }
    }

    @Test("each pattern on the page matches its examples and not its counterexamples")
    func patterns() throws {
        let rows = try Self.rows(under: "### Patterns", cells: 4).filter { !$0[0].isEmpty }
        var kinds: Set<ValuePattern.Kind> = []
        for row in rows {
            let pattern = ValuePattern(row[0][0])
            kinds.insert(pattern.kind)
            for text in row[1] { #expect(pattern.match(text) != nil, "\(row[0]) and \(text)") }
            for text in row[2] { #expect(pattern.match(text) == nil, "\(row[0]) and \(text)") }
            let yaml =
                "profile: a\nstate: { topic: s, map: { \"\(row[0][0])\": locked } }\ncommands: { lock: { topic: c, payload: L } }"
            #expect(((try? Profile(yaml: yaml, file: "a.yaml")) != nil) == (row[3] == []), "allowed in `map`")
        }
        #expect(kinds == [.exact, .prefix, .suffix, .any, .not])
    }

    /// Returns the profile of one of the page's YAML examples.
    private static func profile(_ index: Int) throws -> Profile {
        let blocks = try page().split(separator: "```yaml\n").dropFirst().compactMap { $0.split(separator: "```").first }
        return try Profile(yaml: String(blocks[index]), file: "page.yaml")
    }

    @Test("the capabilities of the examples follow from their content")
    func capabilities() throws {
        #expect(
            try Self.profile(1).capabilities == [
                .reportsJam, .reportsOperator, .reportsFailedAttempts, .canRefresh, .acksCommand, .correlates,
            ])
        #expect(try Self.profile(0).capabilities == [.reportsJam, .reportsBattery])
    }

    @Test("the first example is a valid profile, and decodes messages as the page says")
    func example() throws {
        let profile = try Self.profile(0)
        let dialect = try Dialect(profile, variables: ["name": .string("cellar")])
        var state = DialectState()
        func receive(_ payload: String, isRetained: Bool = false) -> String {
            dialect.decode(MQTTMessage(topic: "acme/cellar/status", payload: Array(payload.utf8), isRetained: isRetained), &state)
                .summary
        }
        #expect(receive(#"{"bolt":"out","battery":80}"#) == "locked confirmed 80%")
        _ = try dialect.encodeCommand(.lock, code: nil, reference: "r", &state)
        #expect(receive(#"{"bolt":"out"}"#, isRetained: true) == "locked retained")
        #expect(receive(#"{"bolt":"stuck"}"#) == "jammed confirmed; rejected(jammed)")
        #expect(receive(#"{"bolt":"half"}"#) == "unknown confirmed; !unmappedValue: half")
    }
}

extension ProfileKeys {
    /// All sections, by their names in the documentation.
    static let sections: [String: [String]] = [
        "file": profile, "vars": variable, "state": state, "door": door, "faults": faults, "availability": availability,
        "items": availabilityItem, "battery": battery, "level": batteryLevel, "low": batteryLow, "events": event, "rules": rule,
        "commands": commands, "frame": command, "ack": ack, "refresh": refresh, "qos": qos,
        "meaning of a state": meaning(.state), "meaning of a door": meaning(.door), "meaning of a fault": meaning(.faults),
    ]
}
