/// A date and a time on the wall clock, without a zone.
///
/// To resolve input such as `validFrom` with a zone and a fold:
///
///     guard let local = LocalDateTime("2027-03-28T02:30") else { … bad_time … }
///     guard let zone = TimeZoneDatabase.system.rules(of: "Europe/Berlin") else { … unknown_zone … }
///     let resolved = zone.resolve(local, fold: .first)    // 2027-03-28T01:00:00.000Z, gap
package struct LocalDateTime: Hashable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00 on the same clock.
    package let milliseconds: Int64

    /// The time of day `time` on a date; `24:00` is the beginning of the next day.
    package init(date: CivilDate, time: LocalTime) {
        milliseconds = (date.daysSinceEpoch * 86_400 + Int64(time.seconds)) * 1000
    }

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Parses `YYYY-MM-DDThh:mm[:ss[.fraction]]`, where 24:00 is the start of the next day; `nil` for any other text, and for one
    /// with a UTC offset. Digits after the third decimal are truncated.
    package init?(_ text: String) {
        guard let separator = text.utf8.firstIndex(where: { $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: "t") }),
            let date = CivilDate(String(text[..<separator]))
        else { return nil }
        let parts = text[text.index(after: separator)...].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = LocalTime(String(parts[0])) else { return nil }
        var fraction: Int64 = 0
        if parts.count == 2 {
            var scanner = DigitScanner(String(parts[1]))
            guard parts[0].utf8.count == 8, time < .endOfDay, let milliseconds = scanner.fraction(), scanner.atEnd else {
                return nil
            }
            fraction = milliseconds
        }
        milliseconds = LocalDateTime(date: date, time: time).milliseconds + fraction
    }

    /// The date on the clock.
    package var date: CivilDate { CivilDate(daysSinceEpoch: milliseconds.flooredQuotient(by: 86_400_000)) }

    /// `YYYY-MM-DDThh:mm:ss`, without the milliseconds.
    package var description: String {
        String(Timestamp(milliseconds: milliseconds).description.prefix { $0 != "." })
    }
}

/// The instant of a local time, and the change of the clock that decided it.
package struct ResolvedLocalTime: Hashable, Sendable {
    /// The instant.
    package let instant: Timestamp
    /// Whether the clock skips or repeats the local time.
    package let change: ClockChange

    package init(instant: Timestamp, change: ClockChange) { (self.instant, self.change) = (instant, change) }
}

extension TimeZoneRules {
    /// Resolves a local time: one in a gap to the end of the gap, a repeated one to the instant that `fold` names. `fold` has no
    /// effect on a time that is not repeated.
    package func resolve(_ local: LocalDateTime, fold: Fold = .first) -> ResolvedLocalTime {
        let second = local.milliseconds.flooredQuotient(by: 1000)
        let resolved = resolve(local: second, fold: fold)
        let fraction = resolved.change == .gap ? 0 : local.milliseconds - second * 1000
        return ResolvedLocalTime(
            instant: Timestamp(milliseconds: resolved.instant * 1000 + fraction), change: resolved.change)
    }

    /// The reading of the clock at an instant.
    package func local(at instant: Timestamp) -> LocalDateTime {
        LocalDateTime(
            milliseconds: instant.milliseconds + offset(at: instant.milliseconds.flooredQuotient(by: 1000)) * 1000)
    }
}
