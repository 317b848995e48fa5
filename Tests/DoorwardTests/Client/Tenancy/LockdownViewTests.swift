import FoundationEssentials
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("doorward lockdown") struct LockdownViewTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func answer(_ results: String) throws -> Doorward.LockdownStart {
        let text = #"{"property":{"id":"p","name":"Quay 1"},"results":[\#(results)]}"#
        return try JSONDecoder().decode(Doorward.LockdownStart.self, from: Data(text.utf8))
    }

    private func result(_ id: String, _ state: String, _ detail: String = "null") -> String {
        #"{"deviceId":"\#(id)","command":{"id":"c","deviceId":"\#(id)","operation":"LOCK","state":"\#(state)","#
            + #""outcomeDetail":\#(detail)},"decision":null}"#
    }

    private static let denied =
        #"{"deviceId":"d","command":null,"decision":{"allowed":false,"operation":"LOCK","deviceId":"d","#
        + #""at":"2030-01-01T00:00:00.000Z","rule":null,"reason":"remote_operation_disabled"}}"#

    @Test("each lock is a row with its name and outcome, whether it was locked, denied, failed or not started")
    func rows() throws {
        let results = [
            result("a", "CONFIRMED"), result("b", "FAILED", #""device_offline""#), result("c", "TIMED_OUT"), Self.denied,
            #"{"deviceId":"e","command":null,"decision":null}"#,
        ]
        let (start, names) = (try answer(results.joined(separator: ",")), ["a": "Front\u{1B}"])
        #expect(
            start.lines(names: names, pipe) == [
                "Front\u{241B}\tlocked\ta", "b\tfailed: device offline\tb", "c\ttimed out\tc",
                "d\tdenied: remote operation is turned off\td", "e\tnot started yet\te",
            ])
        #expect(start.problem == "Quay 1 is in lockdown, but 4 of 5 locks are not confirmed as locked: check them")
        let person = start.lines(names: names, OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: 80))
        #expect(person[0] == "Quay 1 is in lockdown. To end it: doorward lift p")
        #expect(person[1].hasPrefix("LOCK ") && person.count == 7)
    }

    @Test("it is a failure unless every lock is confirmed as locked")
    func problems() throws {
        #expect(try answer(result("a", "CONFIRMED")).problem == nil)
        #expect(
            try answer(result("a", "UNKNOWN")).problem
                == "Quay 1 is in lockdown, but 1 of 1 lock is not confirmed as locked: check it")
    }

    @Test("a property without locks is in lockdown all the same")
    func noLocks() throws {
        let empty = try answer("")
        #expect(empty.problem == nil && empty.lines(names: [:], pipe) == [])
        #expect(empty.lines(names: [:], OutputStyle(isTerminal: true, environment: [:])).last == "It has no locks.")
    }
}
