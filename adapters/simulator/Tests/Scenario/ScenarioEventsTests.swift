import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import DoorwardYAML
import Testing

@Suite struct ScenarioEventsTests {
    private static let day = Duration.seconds(86_400)

    private static func times(_ schedule: ScenarioRule.Schedule, days: Int, starting: Weekday = .monday) -> [Duration] {
        let rule = ScenarioRule(schedule, locks: ["A"], action: .event(.tamper))
        return Scenario(firstWeekday: starting, days: days, lockNames: ["A"], rules: [rule]).events().map(\.at)
    }

    @Test("Rules produce events at the given times")
    func repetitions() {
        #expect(Self.times(.once(.seconds(90)), days: 3) == [.seconds(90)])
        #expect(Self.times(.daily(Weekday.all, at: .seconds(60)), days: 2) == [.seconds(60), Self.day + .seconds(60)])
        #expect(Self.times(.daily([.monday], at: .zero), days: 8, starting: .saturday) == [Self.day * 2])
        #expect(
            Self.times(.every(.seconds(36_000)), days: 2) == [
                .seconds(36_000), .seconds(72_000), .seconds(108_000), .seconds(144_000),
            ])
    }

    @Test("An event with a duration is followed by the event that ends it")
    func timedEvents() {
        let rule = ScenarioRule(.once(.seconds(10)), locks: ["A"], action: .event(.offline), duration: .seconds(5))
        let events = Array(Scenario(lockNames: ["A"], rules: [rule]).events())
        #expect(
            events == [
                ScenarioEvent(at: .seconds(10), lock: "A", action: .event(.offline)),
                ScenarioEvent(at: .seconds(15), lock: "A", action: .event(.online)),
            ])
    }

    @Test(
        "An event that ends another one has no end itself, and every event has a short summary",
        arguments: SimulatorEvent.allCases)
    func endings(event: SimulatorEvent) {
        if let ending = event.ending { #expect(ending.ending == nil) }
        #expect(!event.summary.isEmpty && event.summary.count < 70)
    }

    private static func household(seed: UInt64) -> Scenario {
        var ada = Resident(name: "Ada", door: "A")
        (ada.frontDoor, ada.timeJitter, ada.forgets) = ("F", .seconds(11 * 3600), 0.5)
        var night = Resident(name: "Nina", door: "B")
        (night.leaves, night.returns, night.sleeps) = (.seconds(79_200), .seconds(82_800), .seconds(3600))
        var cleaner = Visitor(name: "Cleaner", door: "A")
        cleaner.chance = 0.5
        let mishap = ScenarioRule(
            .daily(Weekday.all, at: .seconds(600)), locks: ["A", "B"], action: .event(.jam), timeJitter: .seconds(36_000),
            chance: 0.5,
            duration: .seconds(200_000))
        return Scenario(
            seed: seed, days: 40, lockNames: ["A", "B", "F"], residents: [ada, night], visitors: [cleaner], rules: [mishap])
    }

    @Test(
        "For every seed the events are in order of time, not before the first midnight, and reproducible",
        arguments: 0..<20 as Range<UInt64>)
    func ordered(seed: UInt64) {
        let events = Array(Self.household(seed: seed).events())
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
        #expect(events.allSatisfy { $0.at >= .zero })
        #expect(Array(Self.household(seed: seed).events()) == events)
        #expect(Array(Self.household(seed: seed + 1).events()) != events)
    }

    @Test("Started later, a scenario plays the rest of the same events", arguments: [0, 1, 30_000, 86_400, 1_000_000, 3_400_000])
    func later(seconds: Int) {
        let scenario = Self.household(seed: 5)
        let rest = scenario.events().filter { $0.at >= .seconds(seconds) }
        #expect(Array(scenario.events(from: .seconds(seconds))) == rest)
    }

    @Test("A scenario without an end continues, and one without repetitions ends by itself")
    func endless() {
        var scenario = Self.household(seed: 1)
        scenario.days = nil
        #expect(scenario.events().dropFirst(20_000).first { _ in true } != nil)
        #expect(Array(Scenario(lockNames: ["A"]).events()).isEmpty)
    }

    @Test("A scenario without an end whose repetitions have no chance ends after its single events")
    func zeroChance() {
        var absentVisitor = Visitor(name: "Cleaner", door: "A")
        absentVisitor.chance = 0
        let never = ScenarioRule(.every(.seconds(60)), locks: ["A"], action: .event(.jam), chance: 0)
        let once = ScenarioRule(.once(.seconds(60)), locks: ["A"], action: .event(.jam))
        let scenario = Scenario(lockNames: ["A"], visitors: [absentVisitor], rules: [never, once])
        #expect(Array(scenario.events()).map(\.at) == [.seconds(60)])
    }

    @Test("A resident comes home through both doors, and a forgetful one leaves the door unlocked")
    func resident() {
        var ada = Resident(name: "Ada", door: "A")
        (ada.frontDoor, ada.forgets) = ("F", 1)
        let forgetful = Array(Scenario(days: 1, lockNames: ["A", "F"], residents: [ada]).events())
        #expect(!forgetful.contains { $0.action == .command(.lock, by: "Ada") })
        let unlocks = forgetful.filter { $0.action == .command(.unlock, by: "Ada") }
        #expect(unlocks.map(\.lock) == ["F", "A"])
        #expect(forgetful.last?.action == .event(.thumbLock), "the resident locks before sleeping")
        ada.forgets = 0
        let careful = Array(Scenario(days: 1, lockNames: ["A", "F"], residents: [ada]).events())
        #expect(careful.count { $0.action == .command(.lock, by: "Ada") } == 1)
    }

    @Test("A visitor comes only on their own days, and uses a keypad code if they open with one")
    func visitor() {
        var cleaner = Visitor(name: "Cleaner", door: "A")
        (cleaner.days, cleaner.opens, cleaner.forgets) = ([.tuesday], .keypad, 0)
        let scenario = Scenario(days: 14, lockNames: ["A"], visitors: [cleaner])
        let events = Array(scenario.events())
        #expect(events.count { $0.action == .event(.keypad, slot: "Cleaner") } == 2)
        #expect(events.count { $0.action == .event(.keypadLock) } == 2)
        #expect(scenario.people.isEmpty)
    }

    @Test("The player runs each event at its scheduled time divided by the pace, and opens no door while the bolt is locked")
    func player() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let device = DeviceID(high: 0, low: 1)
        let events = [
            ScenarioRule(.once(.seconds(10)), locks: ["A"], action: .openDoor),
            ScenarioRule(.once(.seconds(20)), locks: ["A"], action: .event(.thumbUnlock)),
            ScenarioRule(.once(.seconds(30)), locks: ["A"], action: .openDoor),
            ScenarioRule(.once(.seconds(40)), locks: ["A"], action: .closeDoor),
            ScenarioRule(.once(.seconds(50)), locks: ["A"], action: .closeDoor),
            ScenarioRule(.once(.seconds(60)), locks: ["A"], action: .command(.lock, by: "Ada")),
        ]
        let scenario = Scenario(lockNames: ["A"], rules: events)
        let texts = try executor.run {
            let adapter = SimulatorAdapter(clock: clock, executor: executor)
            let recorder = ReportRecorder(clock: clock)
            try await adapter.start(reports: recorder)
            adapter.attach(AttachedLock(id: device, address: [:]))
            recorder.forget()
            let player = try ScenarioPlayer(
                scenario, adapter: adapter, clock: clock, locks: ["A": device], from: .seconds(10), pace: 10
            ) { command in recorder.note("\(command.person) \(command.operation.rawValue)") }
            await player.run()
            return recorder.texts
        }
        #expect(texts == ["UNLOCKED/MANUAL@1000", "door OPEN@2000", "door CLOSED@3000", "Ada LOCK@5000"])
    }

    @Test("A lock name that the player does not know is reported with the most similar name")
    func unknownLock() {
        let error = #expect(throws: YAMLErrors.self) {
            try ScenarioPlayer(
                Scenario(lockNames: ["Flat 1"]), adapter: SimulatorAdapter(clock: VirtualClock()), clock: VirtualClock(),
                locks: ["Flat 2": DeviceID(high: 0, low: 1)]
            ) { _ in }
        }
        #expect(error?.description == "the scenario: there is no lock called `Flat 1`; did you mean `Flat 2`?")
    }
}
