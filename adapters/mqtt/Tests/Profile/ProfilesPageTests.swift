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

    private static let sections: [(String, [String])] = [
        ("the file", ProfileKeys.profile),
        ("a variable", ProfileKeys.variable),
        ("state", ProfileKeys.state),
        ("door", ProfileKeys.door),
        ("faults", ProfileKeys.faults),
        ("a meaning", ProfileKeys.meaning),
        ("availability", ProfileKeys.availability),
        ("its items", ProfileKeys.availabilityItem),
        ("battery", ProfileKeys.battery),
        ("level", ProfileKeys.batteryLevel),
        ("low", ProfileKeys.batteryLow),
        ("an event", ProfileKeys.event),
        ("a rule", ProfileKeys.rule),
        ("commands", ProfileKeys.commands),
        ("a command", ProfileKeys.command),
        ("ack", ProfileKeys.ack),
        ("refresh", ProfileKeys.refresh),
        ("qos", ProfileKeys.quality),
    ]

    @Test("the page has a line for every key that a profile may hold, and for no other")
    func keys() throws {
        let told = Set(try Self.page().matches(of: #/(?m)^\| `([A-Za-z]+)` \|/#).map { String($0.1) })
        let taken = Set(Self.sections.flatMap(\.1))
        #expect(taken.subtracting(told) == [], "keys that the page does not tell of")
        #expect(told.subtracting(taken) == [], "keys that no profile may hold")
    }

    @Test("the page names every word that a profile may use")
    func words() throws {
        let page = try Self.page()
        let words =
            Position.allCases.map(\.rawValue) + DoorPosition.allCases.map(\.rawValue) + LockEvent.Kind.allCases.map(\.rawValue)
            + LockEvent.Method.allCases.map(\.rawValue) + LockEvent.Operation.allCases.map(\.rawValue)
            + Rejection.allCases.map(\.rawValue) + ProfileQuirk.allCases.map(\.rawValue) + ProfileAbility.allCases.map(\.rawValue)
            + DialectHook.allCases.map(\.rawValue) + LockFault.allCases.filter { $0 != .gone }.map(\.rawValue)
        for word in words { #expect(page.firstRange(of: word) != nil, "\(word)") }
    }

    @Test("the example is a profile, and means what the page says of it")
    func example() throws {
        let page = try Self.page()
        let start = try #require(page.firstRange(of: "```yaml\n"))
        let end = try #require(page[start.upperBound...].firstRange(of: "```"))
        let profile = try Profile(yaml: String(page[start.upperBound..<end.lowerBound]), file: "acme.yaml")
        let dialect = try Dialect(profile, variables: ["name": .string("cellar")])
        var memory = LockMemory()
        func hear(_ payload: String, isRetained: Bool = false) -> String {
            dialect.hear(MQTTMessage(topic: "acme/cellar/status", payload: Array(payload.utf8), isRetained: isRetained), &memory)
                .words
        }
        #expect(hear(#"{"bolt":"out","battery":80}"#) == "locked confirmed 80%")
        _ = try dialect.order(.lock, code: nil, reference: "r", &memory)
        #expect(hear(#"{"bolt":"out"}"#, isRetained: true) == "locked retained")
        #expect(hear(#"{"bolt":"stuck"}"#) == "jammed confirmed; rejected(jammed)")
        #expect(hear(#"{"bolt":"half"}"#) == "unknown confirmed; !unmappedValue: half")
    }
}
