internal import DoorwardDomain
internal import Yams

extension Scenario {
    /// Reads a scenario file; `docs/simulator.md` describes the format.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for messages.
    /// - Throws: every mistake of the file, each with its line.
    package init(yaml: String, file: String) throws(ScenarioErrors) {
        let mistakes = MistakeList()
        var reader = ScenarioReader(mistakes: mistakes)
        let scenario = reader.read(yaml)
        guard let scenario, mistakes.all.isEmpty else { throw ScenarioErrors(file: file, mistakes.all) }
        self = scenario
    }
}

/// Reads a scenario from YAML, and collects its mistakes.
struct ScenarioReader {
    private let mistakes: MistakeList
    private var locks: [String] = []

    init(mistakes: MistakeList) { self.mistakes = mistakes }

    mutating func read(_ yaml: String) -> Scenario? {
        guard let root = compose(yaml) else { return nil }
        guard var file = ScenarioSection(root, kind: "a scenario", mistakes: mistakes) else { return nil }
        locks = file.items("locks").compactMap { lockName($0) }
        if Set(locks).count < locks.count { file.note("`locks` names one lock twice") }
        var scenario = Scenario(lockNames: locks)
        scenario.seed = file.value("seed", "a whole number, 0 or more") { UInt64($0) } ?? 0
        scenario.firstWeekday =
            file.word("starts", "day of the week", among: Weekday.allCases.map(\.rawValue)) { Weekday(rawValue: $0) } ?? .monday
        scenario.days = file.value("days", "a number of days, 1–3660") { Int($0).flatMap { (1...3660).contains($0) ? $0 : nil } }
        scenario.residents = file.items("residents").compactMap { resident($0) }
        let (visitors, events) = (file.items("visitors"), file.items("events"))
        scenario.visitors = visitors.compactMap { visitor($0) }
        scenario.rules = events.compactMap { rule($0, days: scenario.days) }
        file.require("locks")
        file.finish()
        noteStandstill(scenario, visitors: visitors, events: events)
        return scenario
    }

    /// Reports a mistake for an endless scenario in which no repetition can ever happen.
    private func noteStandstill(_ scenario: Scenario, visitors: [Node], events: [Node]) {
        guard mistakes.all.isEmpty, scenario.days == nil, scenario.plannedDays != nil else { return }
        let repeating = zip(events, scenario.rules).filter { if case .once = $1.when { false } else { true } }.map(\.0)
        guard let first = (visitors + repeating).first else { return }
        mistakes.add(
            first.mark?.line, "this has no chance, and nothing else repeats: give another `chance`, or say for how many `days`")
    }

    private func compose(_ yaml: String) -> Node? {
        do {
            if let root = try Yams.compose(yaml: yaml) { return root }
            mistakes.add(1, "the file is empty")
        } catch let error as YamlError {
            note(error)
        } catch {
            mistakes.add(nil, "the file is not YAML")
        }
        return nil
    }

    private func note(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            mistakes.add(mark.line, "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            mistakes.add(context.mark.line, "`\(duplicates.sorted().joined(separator: "`, `"))` stands there more than once")
        default: mistakes.add(nil, "not YAML: the file holds characters that YAML does not allow")
        }
    }

    private func lockName(_ node: Node) -> String? {
        if let name = node.scalar?.string, !name.isEmpty, node.null == nil { return name }
        mistakes.add(node.mark?.line, "`locks` must list the names of locks")
        return nil
    }

    // MARK: People

    private func resident(_ node: Node) -> Resident? {
        guard var section = ScenarioSection(node, kind: "a resident", mistakes: mistakes) else { return nil }
        let (name, door) = (name(&section), door(&section))
        var resident = Resident(name: name ?? "", door: door ?? "")
        resident.frontDoor = section.word("frontDoor", "lock of this scenario", among: locks) { $0 }
        resident.leaves = timeOfDay("leaves", &section) ?? resident.leaves
        resident.returns = timeOfDay("returns", &section) ?? resident.returns
        resident.sleeps = timeOfDay("sleeps", &section) ?? resident.sleeps
        resident.workdays = days("workdays", &section) ?? resident.workdays
        resident.spread = spread(&section) ?? resident.spread
        resident.forgets = chance("forgets", &section) ?? resident.forgets
        resident.opens = way(&section) ?? resident.opens
        section.require("name", "door")
        section.finish()
        return resident
    }

    private func visitor(_ node: Node) -> Visitor? {
        guard var section = ScenarioSection(node, kind: "a visitor", mistakes: mistakes) else { return nil }
        let (name, door) = (name(&section), door(&section))
        var visitor = Visitor(name: name ?? "", door: door ?? "")
        visitor.frontDoor = section.word("frontDoor", "lock of this scenario", among: locks) { $0 }
        visitor.days = days("days", &section) ?? visitor.days
        visitor.comes = timeOfDay("comes", &section) ?? visitor.comes
        visitor.stays = length("stays", upTo: .day, "at most `1d`", &section) ?? visitor.stays
        visitor.spread = spread(&section) ?? visitor.spread
        visitor.chance = chance("chance", &section) ?? visitor.chance
        visitor.forgets = chance("forgets", &section) ?? visitor.forgets
        visitor.opens = way(&section) ?? visitor.opens
        section.require("name", "door")
        section.finish()
        return visitor
    }

    // MARK: Events

    private func rule(_ node: Node, days: Int?) -> ScenarioRule? {
        guard var section = ScenarioSection(node, kind: "an event", mistakes: mistakes) else { return nil }
        let when = when(&section, days: days)
        let named = section.words("lock", "lock of this scenario", among: locks + ["all"]) ?? []
        let action = action(&section)
        var rule = ScenarioRule(
            when ?? .once(.zero), locks: named.contains("all") ? locks : named, action: action ?? .openDoor)
        rule.spread = spread(&section) ?? .zero
        rule.chance = chance("chance", &section) ?? 1
        rule.lasts = length("for", upTo: ScenarioText.maxLasting, "at most `30d`", &section)
        if rule.lasts != nil, case .event(let event, _)? = action, event.ending == nil {
            section.note("`for`: `\(event.rawValue)` is over at once; leave `for` out")
        } else if rule.lasts != nil, case .command? = action {
            section.note("`for`: a command is over at once; leave `for` out")
        }
        section.require("lock")
        section.finish()
        return rule
    }

    private func when(_ section: inout ScenarioSection, days: Int?) -> ScenarioRule.When? {
        let at = section.value("at", "a time such as `2d 07:30` or `90s`") { ScenarioText.instant($0) }
        let every = section.value("every", "times such as `day 07:30`, `mon,thu 08:00` or `15m`") { ScenarioText.repetition($0) }
        if section.has("at") == section.has("every") { section.note("an event needs either `at` or `every`") }
        if let at, let days, at.wholeDays >= days { section.note("`at` lies after the last of the \(days) days") }
        return at.map { .once($0) } ?? every
    }

    private func action(_ section: inout ScenarioSection) -> ScenarioEvent.Action? {
        let event = section.word("do", "event", among: SimulatorEvent.allCases.map(\.rawValue)) { SimulatorEvent(rawValue: $0) }
        let slot = section.value("slot", "the name of a keypad's slot") { $0.isEmpty ? nil : $0 }
        let operations = LockOperation.movements.map { $0.rawValue.lowercased() }
        let command = section.word("command", "command", among: operations) { LockOperation(rawValue: $0.uppercased()) }
        let person = section.value("by", "the name of a person") { $0.isEmpty ? nil : $0 }
        if section.has("do") == section.has("command") { section.note("an event needs either `do` or `command`") }
        if section.has("command") != section.has("by") { section.note("`command` and `by` go together: who asks for what") }
        if section.has("slot"), event != .keypad { section.note("`slot` goes with `do: keypad` alone") }
        if let command, let person { return .command(command, by: person) }
        return event.map { .event($0, slot: slot) }
    }

    // MARK: Values

    private func name(_ section: inout ScenarioSection) -> String? {
        section.value("name", "a name") { $0.isEmpty ? nil : $0 }
    }

    private func door(_ section: inout ScenarioSection) -> String? {
        section.word("door", "lock of this scenario", among: locks) { $0 }
    }

    private func timeOfDay(_ key: String, _ section: inout ScenarioSection) -> Duration? {
        section.value(key, "a time of day such as `07:30`") { ScenarioText.timeOfDay($0) }
    }

    private func days(_ key: String, _ section: inout ScenarioSection) -> Set<Weekday>? {
        section.value(key, "`day`, `weekdays`, `weekends` or days such as `mon,thu`") { Weekday.days($0) }
    }

    private func length(
        _ key: String, upTo limit: Duration, _ bound: String, _ section: inout ScenarioSection
    ) -> Duration? {
        section.value(key, "a length of time such as `90s` or `1h 30m`, \(bound)") {
            ScenarioText.length($0).flatMap { $0 <= limit ? $0 : nil }
        }
    }

    private func spread(_ section: inout ScenarioSection) -> Duration? {
        length("spread", upTo: ScenarioEvents.maxSpread - .seconds(1), "below `12h`", &section)
    }

    private func chance(_ key: String, _ section: inout ScenarioSection) -> Double? {
        section.value(key, "a number from 0 to 1") { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } }
    }

    private func way(_ section: inout ScenarioSection) -> Way? {
        section.word("opens", "way to open", among: Way.allCases.map(\.rawValue)) { Way(rawValue: $0) }
    }
}
