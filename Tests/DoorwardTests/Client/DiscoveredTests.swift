import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The table of discovered locks") struct DiscoveredTests {
    private func lock(_ id: String, _ fill: (inout Doorward.DiscoveredDevice) -> Void) -> Doorward.DiscoveredDevice {
        var lock = Doorward.DiscoveredDevice(
            id: id, adapter: "mqtt", address: ["broker": .string("home"), "profile": .string("homie")],
            firstSeenAt: "2030-01-01T00:00:00.000Z", lastSeenAt: "2030-01-01T00:00:00.000Z")
        fill(&lock)
        return lock
    }

    @Test("each row has name, model, adapter, profile, problem and id, without control characters")
    func rows() {
        let found = [
            lock("home:1") { ($0.name, $0.manufacturer, $0.model) = ("Front", "Acme", "L1") },
            lock("home:2") { ($0.model, $0.problem) = ("L2", "it has no topic for commands") },
            lock("home:3") { ($0.name, $0.address) = ("\u{1B}[2JBack", [:]) },
        ]
        let lines = Discovered.lines(found, OutputStyle(isTerminal: false, environment: [:]))
        #expect(lines.count == 3)
        #expect(lines[0] == "Front\tAcme L1\tmqtt\thomie\tready\thome:1")
        #expect(lines[1] == "-\tL2\tmqtt\thomie\tit has no topic for commands\thome:2")
        #expect(lines[2].hasSuffix("Back\t-\tmqtt\t-\tready\thome:3") && !lines[2].contains("\u{1B}"))
    }

    @Test("on a terminal a hint shows how to attach a lock; in a pipe there is none")
    func hint() {
        let found = [lock("home:1") { $0.name = "Front" }]
        let person = Discovered.lines(found, OutputStyle(isTerminal: true, environment: ["TERM": "dumb"]))
        #expect(person.last == "To attach one: doorward attach NAME --discovered ID --property PROPERTY")
        #expect(Discovered.lines([], OutputStyle(isTerminal: false, environment: [:])) == [])
        #expect(Discovered.lines([], OutputStyle(isTerminal: true, environment: [:])).count == 1)
    }
}
