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
