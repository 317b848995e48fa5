import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct AvailabilityTests {
    @Test("several availability topics are combined according to the mode", arguments: modes)
    func mode(_ mode: String, _ messages: [(String, String)], _ expected: Availability) throws {
        let yaml = """
            profile: reach
            state: { topic: l/state, map: { L: locked } }
            availability:
              mode: \(mode)
              items: [{ topic: l/a, online: "1", offline: "0" }, { topic: l/b, online: ["1", on], offline: "0", unknown: "?" }]
            commands: { lock: { topic: l/set, payload: L } }
            """
        let dialect = try Dialect(Profile(yaml: yaml, file: "reach.yaml"), variables: [:])
        var state = DialectState()
        for (topic, payload) in messages {
            _ = dialect.decode(.init(topic: topic, payload: Array(payload.utf8), isRetained: true), &state)
        }
        #expect(state.availability == expected)
    }

    private static let modes: [(String, [(String, String)], Availability)] = [
        ("all", [], .unknown),
        ("all", [("l/a", "1")], .unknown),
        ("all", [("l/a", "0")], .offline),
        (
            "all",
            [
                ("l/a", "1"),
                ("l/b", "1"),
            ], .online
        ),
        (
            "all",
            [
                ("l/a", "1"),
                ("l/b", "0"),
            ], .offline
        ),
        (
            "all",
            [
                ("l/a", "1"),
                ("l/b", "?"),
            ], .unknown
        ),
        (
            "all",
            [
                ("l/a", "1"),
                ("l/b", "what"),
            ], .unknown
        ),
        ("any", [("l/a", "1")], .online),
        ("any", [("l/a", "0")], .unknown),
        (
            "any",
            [
                ("l/a", "0"),
                ("l/b", "0"),
            ], .offline
        ),
        (
            "any",
            [
                ("l/a", "0"),
                ("l/b", "on"),
            ], .online
        ),
        (
            "latest",
            [
                ("l/a", "0"),
                ("l/b", "1"),
            ], .online
        ),
        (
            "latest",
            [
                ("l/b", "1"),
                ("l/a", "0"),
            ], .offline
        ),
        (
            "latest",
            [
                ("l/b", "1"),
                ("l/a", ""),
            ], .online
        ),
    ]
}
