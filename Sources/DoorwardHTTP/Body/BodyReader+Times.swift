internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The zone of the local times of a request, from its fields `timeZone` and `fold`.
struct RequestedZone {
    /// The name; `nil` if the request has none.
    let name: String?
    /// The rules of the zone; `nil` without a name, and for an unknown one.
    fileprivate let rules: TimeZoneRules?
    /// Which instant a repeated local time means.
    fileprivate let fold: Fold

    init(_ body: inout BodyReader) {
        (name, rules) = body.zone("timeZone")
        fold = body.word("fold", of: Fold.allCases) ?? .first
    }
}

extension ResolvedLocalTime {
    /// The value of a time that could not be read.
    static let placeholder = ResolvedLocalTime(instant: Timestamp(milliseconds: 0), change: .none)
}

// Reads times, zones and schedules.
extension BodyReader {
    /// Reads an instant with an offset, or a local time in the zone of the request.
    mutating func time(_ key: String, in zone: RequestedZone) -> ResolvedLocalTime? {
        guard let text = string(key, as: .string(.time)) else { return nil }
        if let instant = try? Timestamp(rfc3339: text) { return ResolvedLocalTime(instant: instant, change: .none) }
        guard let local = LocalDateTime(text) else {
            note(key, .badTime)
            return nil
        }
        guard let rules = zone.rules else {
            // Of an unknown zone, the field of the zone has reported the error.
            if zone.name == nil { note(key, .missingZone) }
            return .placeholder
        }
        return rules.resolve(local, fold: zone.fold)
    }

    /// Reads the IANA name of a zone. The rules are `nil` for an unknown name, which is an error.
    mutating func zone(_ key: String) -> (name: String?, rules: TimeZoneRules?) {
        guard let name = string(key, TimeZoneNames.rules) else { return (nil, nil) }
        let rules = TimeZoneDatabase.system.rules(of: name)
        if rules == nil { note(key, .unknownZone) }
        return (name, rules)
    }

    /// Reads the recurring hours of a guest access.
    mutating func schedule(_ key: String) -> Schedule? {
        object(key) { body in
            Schedule(
                timeZone: body.zone("timeZone").name,
                periods: body.require(
                    "periods",
                    body.objects("periods", maxItems: WireLimits.schedulePeriods) { body in
                        let days = body.require("days", body.words("days", of: Weekday.allCases, problem: .unknownDay))
                        if days?.isEmpty == true { body.note("days", .empty) }
                        let hours = body.hours()
                        return Schedule.Period(days: WeekdaySet(days ?? []), from: hours.from, until: hours.until)
                    }) ?? [],
                specialDays: body.objects("specialDays", maxItems: WireLimits.scheduleSpecialDays) { $0.specialDay() } ?? [],
                specialDayCut: body.word("specialDayCut", of: Schedule.SpecialDayCut.allCases) ?? .instant)
        }
    }

    private mutating func specialDay() -> Schedule.SpecialDay {
        let text = require("date", string("date", .date))
        let date = text.flatMap { CivilDate($0) }
        if text != nil, date == nil { note("date", .badTime) }
        let periods = require(
            "periods", objects("periods", maxItems: WireLimits.schedulePeriods) { $0.hours() })
        return Schedule.SpecialDay(date: date ?? CivilDate(daysSinceEpoch: 0), periods: periods ?? [])
    }

    /// Reads `from` and `until` of a period.
    private mutating func hours() -> Schedule.Hours {
        let (from, until) = (wallTime("from", .startTime), wallTime("until", .wallTime))
        // The end of a day is not the beginning of hours on it.
        if from == .endOfDay { note("from", .badTime) }
        return Schedule.Hours(from: from ?? .endOfDay, until: until ?? .endOfDay)
    }

    private mutating func wallTime(_ key: String, _ rules: @autoclosure () -> StringSchema) -> LocalTime? {
        guard let text = require(key, string(key, rules())) else { return nil }
        let time = LocalTime(text)
        if time == nil { note(key, .badTime) }
        return time
    }
}

extension StringSchema {
    /// An instant of RFC 3339; or a local time, without an offset, of which 24:00 is the end of the day.
    static let time: StringSchema = {
        let longMonth = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
        let day = "[0-9]{4}-(\(longMonth)|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        let (minute, second) = ("([01][0-9]|2[0-3]):[0-5][0-9]", #":([0-5][0-9]|60)(\.[0-9]{1,9})?"#)
        let instant = "\(minute)\(second)([Zz]|[+-]\(minute))"
        return StringSchema(pattern: "^\(day)[Tt](\(instant)|\(minute)(\(second))?|24:00(:00)?)$")
    }()
}
