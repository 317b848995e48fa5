import AdapterSimulator
import DoorwardDomain
import DoorwardYAML
import Foundation
import Testing

@Suite struct ScenarioFileTests {
    @Test("Every key of a file is read")
    func whole() throws {
        let scenario = try Scenario(
            yaml: """
                seed: 18446744073709551615
                starts: thu
                days: 3
                locks: [Front door, "2B"]
                residents:
                  - name: Ada
                    door: 2B
                    frontDoor: Front door
                    leaves: 07:45
                    returns: 18:00
                    sleeps: 00:30
                    workdays: mon,thu
                    spread: 5m
                    forgets: 0.25
                    opens: keypad
                visitors:
                  - {name: Cleaner, door: 2B, days: weekends, comes: "09:30", stays: 1h 30m, chance: 0.5, forgets: 0, spread: 90s}
                events:
                  - {at: 1d 07:30, lock: 2B, do: jam, for: 2h}
                  - {every: day 22:00, lock: all, do: thumb_lock, spread: 10m, chance: 0.5}
                  - {every: 15m, lock: [Front door], command: unlock, by: Max}
                  - {at: 90s, lock: 2B, do: keypad, slot: Ada}
                """, file: "house.yaml")
        #expect(scenario.seed == .max)
        #expect(scenario.firstWeekday == .thursday)
        #expect(scenario.days == 3)
        #expect(scenario.lockNames == ["Front door", "2B"])
        var ada = Resident(name: "Ada", door: "2B")
        (ada.frontDoor, ada.leaves, ada.returns, ada.sleeps) = ("Front door", .seconds(27_900), .seconds(64_800), .seconds(1800))
        (ada.workdays, ada.timeJitter, ada.forgets, ada.opens) = ([.monday, .thursday], .seconds(300), 0.25, .keypad)
        #expect(scenario.residents == [ada])
        var cleaner = Visitor(name: "Cleaner", door: "2B")
        (cleaner.days, cleaner.comes, cleaner.stays) = (Weekday.weekends, .seconds(34_200), .seconds(5400))
        (cleaner.chance, cleaner.forgets, cleaner.timeJitter) = (0.5, 0, .seconds(90))
        #expect(scenario.visitors == [cleaner])
        #expect(
            scenario.rules == [
                ScenarioRule(.once(.seconds(113_400)), locks: ["2B"], action: .event(.jam), duration: .seconds(7200)),
                ScenarioRule(
                    .daily(Weekday.all, at: .seconds(79_200)), locks: ["Front door", "2B"], action: .event(.thumbLock),
                    timeJitter: .seconds(600), chance: 0.5),
                ScenarioRule(.every(.seconds(900)), locks: ["Front door"], action: .command(.unlock, by: "Max")),
                ScenarioRule(.once(.seconds(90)), locks: ["2B"], action: .event(.keypad, slot: "Ada")),
            ])
        #expect(scenario.people == ["Cleaner", "Max"])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let yaml: String
        let message: String
        /// The description is the message, because the YAML may be long.
        var testDescription: String { message }
    }

    private static let head = "locks: [Flat]\n"
    private static let noChance =
        "this never happens (`chance` is 0), and nothing else repeats: give a higher `chance`, or set `days`"

    static let wrong = [
        Wrong(yaml: "", message: "x.yaml, line 1: the file is empty"),
        Wrong(yaml: "- a", message: "x.yaml, line 1: a scenario must be `key: value` lines"),
        Wrong(yaml: "seed: 1", message: "x.yaml, line 1: a scenario needs `locks`"),
        Wrong(yaml: head + "sed: 1", message: "x.yaml, line 2: `sed` is not a key of a scenario; did you mean `seed`?"),
        Wrong(yaml: head + "colour: red", message: "x.yaml, line 2: `colour` is not a key of a scenario"),
        Wrong(yaml: head + "seed: -1", message: "x.yaml, line 2: `seed` must be a whole number, 0 or more, not `-1`"),
        Wrong(yaml: head + "seed:", message: "x.yaml, line 2: `seed` must be a whole number, 0 or more"),
        Wrong(yaml: head + "days: 0", message: "x.yaml, line 2: `days` must be a number of days, 1–3660, not `0`"),
        Wrong(yaml: head + "starts: sunny", message: "x.yaml, line 2: `starts`: `sunny` is not a day of the week"),
        Wrong(yaml: head + "locks: [B]", message: "x.yaml, line 2: `locks` occurs more than once"),
        Wrong(yaml: "locks: [A, A]", message: "x.yaml, line 1: `locks` names one lock twice"),
        Wrong(yaml: "locks: Flat", message: "x.yaml, line 1: `locks` must be a list, each item after a dash"),
        Wrong(yaml: head + "residents:\n  - door: Flat", message: "x.yaml, line 3: a resident needs `name`"),
        Wrong(
            yaml: head + "residents:\n  - {name: Ada, door: Flta}",
            message: "x.yaml, line 3: `door`: `Flta` is not a lock of this scenario; did you mean `Flat`?"),
        Wrong(
            yaml: head + "residents:\n  - name: Ada\n    door: Flat\n    leaves: 8:00",
            message: "x.yaml, line 5: `leaves` must be a time of day such as `07:30`, not `8:00`"),
        Wrong(
            yaml: head + "residents:\n  - name: Ada\n    door: Flat\n    opens: apps",
            message: "x.yaml, line 5: `opens`: `apps` is not a way to open; did you mean `app`?"),
        Wrong(
            yaml: head + "visitors: [{name: C, door: Flat, stays: 2d}]",
            message: "x.yaml, line 2: `stays` must be a length of time such as `90s` or `1h 30m`, at most `1d`, not `2d`"),
        Wrong(
            yaml: head + "visitors: [{name: C, door: Flat, spread: 12h}]",
            message: "x.yaml, line 2: `spread` must be a length of time such as `90s` or `1h 30m`, below `12h`, not `12h`"),
        Wrong(
            yaml: head + "events:\n  - at: 1h\n    lock: Flat\n    do: jamm",
            message: "x.yaml, line 5: `do`: `jamm` is not an event; did you mean `jam`?"),
        Wrong(yaml: head + "events: [{lock: Flat, do: jam}]", message: "x.yaml, line 2: an event needs either `at` or `every`"),
        Wrong(
            yaml: head + "events: [{at: 1h, every: 2h, lock: Flat, do: jam}]",
            message: "x.yaml, line 2: an event needs either `at` or `every`"),
        Wrong(yaml: head + "events: [{at: 1h, do: jam}]", message: "x.yaml, line 2: an event needs `lock`"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: [], do: jam}]",
            message: "x.yaml, line 2: `lock` must name at least one lock of this scenario"),
        Wrong(
            yaml: head + "events: [{at: noon, lock: Flat, do: jam}]",
            message: "x.yaml, line 2: `at` must be a time such as `2d 07:30` or `90s`, not `noon`"),
        Wrong(
            yaml: head + "days: 2\nevents: [{at: 2d 07:30, lock: Flat, do: jam}]",
            message: "x.yaml, line 3: `at` lies after the last of the 2 days"),
        Wrong(
            yaml: head + "events: [{every: mon;tue 08:00, lock: Flat, do: jam}]",
            message: "x.yaml, line 2: `every` must be times such as `day 07:30`, `mon,thu 08:00` or `15m`, not `mon;tue 08:00`"),
        Wrong(yaml: head + "events: [{at: 1h, lock: Flat}]", message: "x.yaml, line 2: an event needs either `do` or `command`"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: Flat, command: unlock}]",
            message: "x.yaml, line 2: `command` and `by` go together: who asks for what"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: Flat, command: open, by: Ada}]",
            message: "x.yaml, line 2: `command`: `open` is not a command"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: Flat, do: jam, slot: Ada}]",
            message: "x.yaml, line 2: `slot` is allowed only with `do: keypad`"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: Flat, do: tamper, for: 1h}]",
            message: "x.yaml, line 2: `for`: `tamper` has no duration; leave `for` out"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: Flat, do: jam, chance: 1.1}]",
            message: "x.yaml, line 2: `chance` must be a number from 0 to 1, not `1.1`"),
        Wrong(
            yaml: head + "events:\n- {at: 1h, lock: Flat, do: jam}\n- {every: 15m, lock: Flat, do: jam, chance: 0}",
            message: "x.yaml, line 4: " + noChance),
        Wrong(yaml: head + "visitors: [{name: Cleaner, door: Flat, chance: 0}]", message: "x.yaml, line 2: " + noChance),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: [Flat, Flt], do: jam}]",
            message: "x.yaml, line 2: `lock[1]`: `Flt` is not a lock of this scenario; did you mean `Flat`?"),
        Wrong(
            yaml: head + "events: [{at: 1h, lock: , do: jam}]",
            message: "x.yaml, line 2: `lock` must name at least one lock of this scenario"),
        Wrong(
            yaml: head + "residents: {name: Ada, door: Flat}",
            message: "x.yaml, line 2: `residents` must be a list, each item after a dash"),
        Wrong(
            yaml: "locks: &all [Flat]\nevents: [{at: 1h, lock: *all, do: jam}]",
            message: "x.yaml, line 1: `&all`: anchors and aliases are not allowed; write the value out"),
        Wrong(yaml: head + String(repeating: "[", count: 5000), message: "x.yaml, line 2: the file nests too deeply"),
        Wrong(yaml: String(repeating: "#", count: 1_048_577), message: "x.yaml: the file is longer than 1048576 bytes"),
        Wrong(yaml: "locks: [", message: "x.yaml, line 2: not YAML: did not find expected node content"),
    ]

    @Test("An error gives its line, its key and the valid values", arguments: wrong)
    func mistakes(example: Wrong) {
        let error = #expect(throws: YAMLErrors.self) { try Scenario(yaml: example.yaml, file: "x.yaml") }
        #expect(error?.description == example.message)
    }

    @Test("All errors are reported at once, in the order of their lines")
    func several() {
        let yaml =
            "sed: 1\nlocks: [Flat]\nevents:\n  - {at: 1h, lock: Flatt, do: jam}\n  - {at: 1x, lock: Flat, do: jam}\ndays: x"
        let error = #expect(throws: YAMLErrors.self) { try Scenario(yaml: yaml, file: "x.yaml") }
        #expect(error?.errors.map(\.line) == [1, 4, 5, 6])
    }

    @Test("The example of the documentation is a valid scenario")
    func documentation() throws {
        let page = try String(contentsOf: Repository.file("docs/simulator.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```yaml\n"))
        let end = try #require(page.range(of: "```", range: start.upperBound..<page.endIndex))
        let scenario = try Scenario(yaml: String(page[start.upperBound..<end.lowerBound]), file: "docs/simulator.md")
        #expect(Array(scenario.events().prefix(100)).count == 100)
    }
}

/// Finds files of the repository, relative to this file.
enum Repository {
    static func file(_ path: String) -> URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appending(path: path)
    }
}
