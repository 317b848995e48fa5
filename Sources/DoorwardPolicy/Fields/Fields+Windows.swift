package import DoorwardDomain

// The forms of time windows and schedules in responses and records.

extension ClockChange: FieldConvertible {}
extension Weekday: FieldConvertible {}
extension Schedule.SpecialDayCut: FieldConvertible {}

extension WindowResolution {
    static let schema = JSONSchema.object([
        JSONSchema.Member(
            "timeZone", .nullable(.text), description: "The zone of the request, else that of the property; null without either."),
        JSONSchema.Member("validFrom", ClockChange.schema),
        JSONSchema.Member("validUntil", ClockChange.schema),
    ])

    /// The resolution in a response.
    ///
    /// - Parameter zone: the zone of the property, which is shown if the request named none.
    func shown(in zone: String?) -> FieldValue {
        .object([
            .init("timeZone", (timeZone ?? zone).fieldValue), .init("validFrom", validFrom.fieldValue),
            .init("validUntil", validUntil.fieldValue),
        ])
    }

    /// The resolution in a record: what the requests gave; null if they gave instants and no zone.
    var recorded: RecordValue {
        if self == .asGiven { return .null }
        return .object([
            "timeZone": timeZone.map { .string($0) } ?? .null, "validFrom": .string(validFrom.rawValue),
            "validUntil": .string(validUntil.rawValue),
        ])
    }
}

extension Schedule: FieldConvertible {
    /// The hours of a period, as members of an object.
    private static let hours = [
        JSONSchema.Member("from", .string(.startTime), description: "A time of day, as in 09:00."),
        JSONSchema.Member(
            "until", .string(.wallTime), description: "The end, on the next day if it is not later; 24:00 is midnight."),
    ]

    /// The schema of a schedule in a response.
    package static let schema = JSONSchema.object([
        JSONSchema.Member("timeZone", .nullable(.text), description: "An IANA name; null for the zone of the property."),
        JSONSchema.Member("periods", .array(.object([JSONSchema.Member("days", .array(Weekday.schema))] + hours))),
        JSONSchema.Member(
            "specialDays",
            .array(.object([JSONSchema.Member("date", .string(.date)), JSONSchema.Member("periods", .array(.object(hours)))]))),
        JSONSchema.Member("specialDayCut", SpecialDayCut.schema),
    ])

    /// The schedule in a response.
    package var fieldValue: FieldValue {
        .object([
            .init("timeZone", timeZone.fieldValue),
            .init("periods", .list(periods.map { .object([.init("days", .words($0.days.days))] + $0.hours.members) })),
            .init(
                "specialDays",
                .list(
                    specialDays.map { day in
                        .object([
                            .init("date", .string(day.date.description)),
                            .init("periods", .list(day.periods.map { .object($0.members) })),
                        ])
                    })),
            .init("specialDayCut", specialDayCut.fieldValue),
        ])
    }

    /// The schedule in a record.
    var recorded: RecordValue { fieldValue.recordedWhole }
}

extension Schedule.Hours {
    fileprivate var members: [FieldValue.Member] {
        [.init("from", .string(from.description)), .init("until", .string(until.description))]
    }
}

extension StringSchema {
    private static let clock = "([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60))?"
    /// A time of day: `hh:mm` or `hh:mm:ss`, up to `24:00`.
    package static let wallTime = StringSchema(pattern: "^(\(clock)|24:00(:00)?)$")
    /// A time of day at which hours can begin: the same without `24:00`.
    package static let startTime = StringSchema(pattern: "^\(clock)$")
    /// A day: `YYYY-MM-DD`.
    package static let date = StringSchema(format: "date")
}

extension FieldValue {
    /// The value in the form of records, with the members of objects, none of which may be personal or secret.
    fileprivate var recordedWhole: RecordValue {
        switch self {
        case .object(let members):
            .object(
                members.reduce(into: [:]) { object, member in
                    if member.value != .absent { object[member.name] = member.value.recordedWhole }
                })
        case .list(let values): .array(values.map(\.recordedWhole))
        default: recorded { .string($0) } ?? .null
        }
    }
}
