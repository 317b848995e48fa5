import DoorwardDomain

/// A point in time as typed by a user.
struct TimeArgument {
    /// The accepted forms, for help texts.
    static let help = """
        A time is 2026-11-21T18:00:00+01:00, or in your own time zone "2026-11-21 18:00", 2026-11-21, 18:00 (today), \
        "tomorrow 9:00", yesterday, now, or +2h, +30m, +3d from now.
        """

    private let text: String
    private let option: String

    init(_ text: String, option: String) { (self.text, self.option) = (text, option) }

    /// - Parameters:
    ///   - now: the present time, for relative forms.
    ///   - start: the start of a duration such as `+2h`; `now` by default.
    /// - Throws: a usage error for a text that is not a time, and for a wall-clock time that does not exist, or exists twice.
    func instant(now: Timestamp, start: Timestamp? = nil) throws -> Timestamp {
        guard text.contains(where: { !$0.isWhitespace }) else { throw failure("is not a time. \(Self.help)") }
        if let instant = try? Timestamp(rfc3339: text) { return instant }
        let typed = text.lowercased()
        if typed == "now" { return now }
        if let length = Self.length(typed) {
            return (typed.hasPrefix("-") ? now : start ?? now).advanced(by: length)
        }
        guard let time = Self.wallTime(typed, now: now) else { throw failure("is not a time. \(Self.help)") }
        let instants = time.instants
        switch instants.count {
        case 1: return instants[0]
        case 0: throw failure("does not exist: clocks here never show \(time)")
        default:
            throw failure("occurs twice, because the clock is put back: give an offset, as in 2026-10-25T02:30:00+01:00")
        }
    }

    private func failure(_ problem: String) -> CommandFailure {
        CommandFailure("\(option): `\(text.printable)` \(problem)", code: 2)
    }

    /// Parses `+1h30m` or `-2d`; a day is 24 hours.
    private static func length(_ text: String) -> Duration? {
        guard let match = text.wholeMatch(of: #/([+-])((?:[0-9]{1,6}[smhdw])+)/#) else { return nil }
        let seconds = match.2.matches(of: #/([0-9]+)([smhdw])/#).reduce(0) { sum, part in
            sum + (Int(part.1) ?? 0) * (["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800][part.2] ?? 0)
        }
        return .seconds(match.1 == "-" ? -seconds : seconds)
    }

    /// Parses a day, a time of day, or both.
    private static func wallTime(_ text: String, now: Timestamp) -> LocalTime? {
        let form =
            #/(?:(today|tomorrow|yesterday)|([0-9]{4})-([0-9]{2})-([0-9]{2}))?(?:[ t]+|^|$)(?:([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?/#
        guard !text.isEmpty, let match = text.wholeMatch(of: form) else { return nil }
        var time = day(match.1, now: now)
        if let year = match.2, let month = match.3, let day = match.4 {
            (time.year, time.month, time.day) = (Int(year) ?? 0, Int(month) ?? 0, Int(day) ?? 0)
        }
        time.hour = match.5.flatMap { Int($0) } ?? 0
        time.minute = match.6.flatMap { Int($0) } ?? 0
        time.second = match.7.flatMap { $0 }.flatMap { Int($0) } ?? 0
        return time
    }

    /// Returns noon of the day that the word names, or of today if there is no word. Days are added at noon, so that a clock
    /// change does not lead to another day.
    private static func day(_ word: Substring?, now: Timestamp) -> LocalTime {
        var noon = LocalTime(now)
        (noon.hour, noon.minute, noon.second) = (12, 0, 0)
        let days = ["yesterday": -1, "tomorrow": 1][word] ?? 0
        return LocalTime((noon.instants.first ?? now).advanced(by: .seconds(days * 86_400)))
    }
}
