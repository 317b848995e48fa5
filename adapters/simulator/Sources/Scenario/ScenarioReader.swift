package import DoorwardDomain
package import DoorwardYAML

extension YAMLFormat {
    /// Scenario files, of at most 1 MiB.
    static let scenario = YAMLFormat("a scenario", maxBytes: 1_048_576)
}

extension Scenario {
    /// Reads a scenario file; `docs/simulator.md` describes the format.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for messages.
    /// - Throws: every mistake of the file, each with its line.
    package init(yaml: String, file: String) throws(YAMLErrors) {
        let keys = ["seed", "starts", "days", "locks", "residents", "visitors", "events"]
        self = try YAMLFormat.scenario.read(yaml, file: file, keys: keys) { ScenarioReader($0).scenario() }
    }

    /// Reads a scenario file on disk.
    ///
    /// - Parameter path: also the name in messages.
    /// - Throws: all errors of the file, or an error if it cannot be read.
    package init(path: String) throws(YAMLErrors) {
        try self.init(yaml: YAMLFormat.scenario.text(ofFile: path), file: path)
    }
}

/// Reads a scenario from YAML.
private struct ScenarioReader {
    let file: YAMLSection
    let locks: [String]

    init(_ file: YAMLSection) {
        self.file = file
        locks = file["locks"].items().compactMap { item in
            if let name = item.scalar, !name.isEmpty { return name }
            item.note("`locks` must list the names of locks")
            return nil
        }
    }

    func scenario() -> Scenario {
        file.require("locks")
        if Set(locks).count < locks.count { file.note("`locks` names one lock twice") }
        var scenario = Scenario(lockNames: locks)
        scenario.seed = file["seed"].value("a whole number, 0 or more") { UInt64($0) } ?? 0
        let starts = file["starts"].word("a day of the week", among: Weekday.allCases.map { $0.rawValue.lowercased() })
        scenario.firstWeekday = starts.flatMap { Weekday(rawValue: $0.uppercased()) } ?? .monday
        scenario.days = file["days"].value("a number of days, 1–3660") { Int($0).flatMap { (1...3660).contains($0) ? $0 : nil } }
        scenario.residents = sections("residents", "a resident", Self.personKeys + Self.residentKeys).map(resident)
        let visitors = sections("visitors", "a visitor", Self.personKeys + Self.visitorKeys)
        scenario.visitors = visitors.map(visitor)
        let events = sections("events", "an event", Self.eventKeys)
        scenario.rules = events.map { rule($0, days: scenario.days) }
        rejectEndlessWithoutEvents(scenario, visitors: visitors, events: events)
        return scenario
    }

    private static let personKeys = ["name", "door", "frontDoor", "spread", "forgets", "opens"]
    private static let residentKeys = ["leaves", "returns", "sleeps", "workdays"]
    private static let visitorKeys = ["days", "comes", "stays", "chance"]
    private static let eventKeys = ["at", "every", "lock", "do", "slot", "command", "by", "spread", "chance", "for"]

    private func sections(_ key: String, _ name: String, _ keys: [String]) -> [YAMLSection] {
        file[key].items().compactMap { $0.section(keys: keys, name: name) }
    }

    /// Notes a mistake for an endless scenario in which no repetition can ever happen.
    private func rejectEndlessWithoutEvents(_ scenario: Scenario, visitors: [YAMLSection], events: [YAMLSection]) {
        guard file.isFileSound, scenario.days == nil, scenario.plannedDays != nil else { return }
        let repeating = events.filter { $0["every"].isPresent }
        (visitors + repeating).first?.note(
            "this never happens (`chance` is 0), and nothing else repeats: give a higher `chance`, or set `days`")
    }

    // MARK: People

    private func resident(_ section: YAMLSection) -> Resident {
        section.require("name", "door")
        var resident = Resident(name: name(section["name"], "a name") ?? "", door: lock(section["door"]) ?? "")
        resident.frontDoor = lock(section["frontDoor"])
        resident.leaves = timeOfDay(section["leaves"]) ?? resident.leaves
        resident.returns = timeOfDay(section["returns"]) ?? resident.returns
        resident.sleeps = timeOfDay(section["sleeps"]) ?? resident.sleeps
        resident.workdays = days(section["workdays"]) ?? resident.workdays
        resident.timeJitter = timeJitter(section) ?? resident.timeJitter
        resident.forgets = chance(section["forgets"]) ?? resident.forgets
        resident.opens = entryMethod(section["opens"]) ?? resident.opens
        return resident
    }

    private func visitor(_ section: YAMLSection) -> Visitor {
        section.require("name", "door")
        var visitor = Visitor(name: name(section["name"], "a name") ?? "", door: lock(section["door"]) ?? "")
        visitor.frontDoor = lock(section["frontDoor"])
        visitor.days = days(section["days"]) ?? visitor.days
        visitor.comes = timeOfDay(section["comes"]) ?? visitor.comes
        visitor.stays = length(section["stays"], upTo: .day, "at most `1d`") ?? visitor.stays
        visitor.timeJitter = timeJitter(section) ?? visitor.timeJitter
        visitor.chance = chance(section["chance"]) ?? visitor.chance
        visitor.forgets = chance(section["forgets"]) ?? visitor.forgets
        visitor.opens = entryMethod(section["opens"]) ?? visitor.opens
        return visitor
    }

    // MARK: Events

    private func rule(_ section: YAMLSection, days: Int?) -> ScenarioRule {
        section.require("lock")
        let lock = section["lock"]
        let named = lock.items(orOne: true).compactMap { $0.word("a lock of this scenario", among: locks + ["all"]) }
        if lock.isEmpty || lock.isList && lock.items().isEmpty {
            lock.note("`lock` must name at least one lock of this scenario")
        }
        let (schedule, action) = (schedule(section, days: days), action(section))
        var rule = ScenarioRule(
            schedule ?? .once(.zero), locks: named.contains("all") ? locks : named, action: action ?? .openDoor)
        rule.timeJitter = timeJitter(section) ?? .zero
        rule.chance = chance(section["chance"]) ?? 1
        rule.duration = length(section["for"], upTo: ScenarioText.maxEventDuration, "at most `30d`")
        if rule.duration != nil, case .event(let event, _)? = action, event.ending == nil {
            section.note("`for`: `\(event.rawValue)` has no duration; leave `for` out")
        } else if rule.duration != nil, case .command? = action {
            section.note("`for`: a command has no duration; leave `for` out")
        }
        return rule
    }

    private func schedule(_ section: YAMLSection, days: Int?) -> ScenarioRule.Schedule? {
        let at = section["at"].value("a time such as `2d 07:30` or `90s`") { ScenarioText.instant($0) }
        let every = section["every"].value("times such as `day 07:30`, `mon,thu 08:00` or `15m`") { ScenarioText.repetition($0) }
        if section["at"].isPresent == section["every"].isPresent { section.note("an event needs either `at` or `every`") }
        if let at, let days, at.wholeDays >= days { section.note("`at` lies after the last of the \(days) days") }
        return at.map { .once($0) } ?? every
    }

    private func action(_ section: YAMLSection) -> ScenarioEvent.Action? {
        let (isEvent, isCommand) = (section["do"].isPresent, section["command"].isPresent)
        let event = section["do"].word("an event", among: SimulatorEvent.allCases.map(\.rawValue)).flatMap(SimulatorEvent.init)
        let slot = name(section["slot"], "the name of a keypad's slot")
        let operations = LockOperation.movements.map { $0.rawValue.lowercased() }
        let command = section["command"].word("a command", among: operations).flatMap { LockOperation(rawValue: $0.uppercased()) }
        let person = name(section["by"], "the name of a person")
        if isEvent == isCommand { section.note("an event needs either `do` or `command`") }
        if isCommand != section["by"].isPresent { section.note("`command` and `by` go together: who asks for what") }
        if section["slot"].isPresent, event != .keypad { section.note("`slot` is allowed only with `do: keypad`") }
        if let command, let person { return .command(command, by: person) }
        return event.map { .event($0, slot: slot) }
    }

    // MARK: Values

    private func name(_ field: YAMLField, _ expected: String) -> String? { field.value(expected) { $0.isEmpty ? nil : $0 } }

    private func lock(_ field: YAMLField) -> String? { field.word("a lock of this scenario", among: locks) }

    private func timeOfDay(_ field: YAMLField) -> Duration? {
        field.value("a time of day such as `07:30`") { ScenarioText.timeOfDay($0) }
    }

    private func days(_ field: YAMLField) -> Set<Weekday>? {
        field.value("`day`, `weekdays`, `weekends` or days such as `mon,thu`") { Weekday.days($0) }
    }

    private func length(_ field: YAMLField, upTo limit: Duration, _ bound: String) -> Duration? {
        field.value("a length of time such as `90s` or `1h 30m`, \(bound)") {
            ScenarioText.length($0).flatMap { $0 <= limit ? $0 : nil }
        }
    }

    private func timeJitter(_ section: YAMLSection) -> Duration? {
        length(section["spread"], upTo: ScenarioEvents.maxTimeJitter - .seconds(1), "below `12h`")
    }

    private func chance(_ field: YAMLField) -> Double? {
        field.value("a number from 0 to 1") { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } }
    }

    private func entryMethod(_ field: YAMLField) -> EntryMethod? {
        field.word("a way to open", among: EntryMethod.allCases.map(\.rawValue)).flatMap(EntryMethod.init)
    }
}

/// Parses times and durations of scenario files. Each function returns `nil` for an invalid text.
enum ScenarioText {
    static let maxEventDuration = Duration.days(30)
    /// Ten years: longer than any use, and far from an overflow.
    static let maxLength = Duration.days(3660)

    /// A duration: `90s`, `15m`, `1h 30m`, `2d`; above zero.
    static func length(_ text: String) -> Duration? {
        var total = Duration.zero
        for word in text.split(separator: " ") {
            guard let part = part(word) else { return nil }
            total += part
        }
        return total > .zero && total <= maxLength ? total : nil
    }

    /// A time of day: `07:30`, `23:59:59`; below 24 hours.
    static func timeOfDay(_ text: some StringProtocol) -> Duration? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ $0.count == 2 }) else { return nil }
        let numbers = parts.compactMap { digits($0) }
        guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        return .hours(numbers[0]) + .minutes(numbers[1]) + .seconds(numbers.count == 3 ? numbers[2] : 0)
    }

    /// A time since the first midnight: `07:30`, `2d 07:30`, or a duration such as `90s`.
    static func instant(_ text: String) -> Duration? {
        let words = text.split(separator: " ")
        guard let last = words.last else { return nil }
        guard let time = timeOfDay(last) else { return text == "0s" ? .zero : length(text) }
        guard words.count > 1 else { return time }
        guard words.count == 2, words[0].last == "d", let days = part(words[0]), days <= maxLength else { return nil }
        return days + time
    }

    /// A repetition: `day 07:30`, `weekdays 07:30`, `mon,thu 08:00`, or a duration such as `15m`, at least a second.
    static func repetition(_ text: String) -> ScenarioRule.Schedule? {
        if let length = length(text) { return .every(length) }
        let words = text.split(separator: " ")
        guard words.count == 2, let days = Weekday.days(words[0]), let time = timeOfDay(words[1]) else { return nil }
        return .daily(days, at: time)
    }

    private static func part(_ word: Substring) -> Duration? {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = word.last.flatMap({ seconds[$0] }), let number = digits(word.dropLast()) else { return nil }
        return .seconds(number * unit)
    }

    /// A number of at most nine digits.
    private static func digits(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension Weekday {
    /// Every day.
    package static let all = Set(allCases)
    /// Monday to Friday.
    package static let weekdays = all.subtracting(weekends)
    /// Saturday and Sunday.
    package static let weekends: Set<Weekday> = [.saturday, .sunday]

    /// The day of the week this many days later, or earlier for a negative number.
    package func advanced(byDays days: Int) -> Weekday {
        let all = Self.allCases
        let index = (all.firstIndex(of: self) ?? 0) + days % all.count + all.count
        return all[index % all.count]
    }

    /// Parses `day`, `weekdays`, `weekends` or names such as `mon,thu`; `nil` for anything else.
    static func days(_ text: some StringProtocol) -> Set<Weekday>? {
        switch text {
        case "day": return all
        case "weekdays": return weekdays
        case "weekends": return weekends
        default:
            let names = text.split(separator: ",", omittingEmptySubsequences: false)
            let days = Set(allCases.filter { day in names.contains { $0 == day.rawValue.lowercased() } })
            return days.count == names.count ? days : nil
        }
    }
}
