package import DoorwardDomain

// The fields of portfolios, properties and units. Their lists of ids are derived from their children and associations.

extension Portfolio {
    private typealias F = Field<Portfolio>

    /// The fields, in the order of responses. Subscription and retention are only recorded: responses about a portfolio do not
    /// contain them, as reading them requires a separate permission.
    package static let fields: [Field<Portfolio>] = [
        F("id", .publicLevel) { $0.id },
        F("name", .publicLevel, audit: .personal()) { $0.name },
        F("administratorUserIds", .management) { portfolio, _, tenancy in
            tenancy.holders(of: [.owner, .portfolioAdmin], on: .portfolio(portfolio.id))
        },
        F("propertyIds", .management) { portfolio, _, tenancy in tenancy.propertyIDs(of: portfolio.id) },
        F("createdAt", .management) { $0.createdAt },
        F("updatedAt", .management) { $0.updatedAt },
        F(recorded: "tier", .changed, columns: ["tier"]) { .string($0.subscription.tier) },
        F(recorded: "modules", .changed, columns: ["modules"]) { .strings($0.subscription.modulesInOrder.map(\.rawValue)) },
        F(
            recorded: "limits",
            .changed(if: { $0.subscription.limits != $1.subscription.limits }, as: { .limits($0.subscription.limits) }),
            columns: ["max_properties", "max_units", "max_devices", "max_active_guest_access"]
        ) { _ in .absent },
        F(recorded: "retentionDays", .changed, columns: ["retention_days"]) { $0.retention.days.fieldValue },
        F(recorded: "legalHold", .changed, columns: ["legal_hold"]) { .bool($0.retention.legalHold) },
        .viewLevel(),
    ]
}

extension Property {
    private typealias F = Field<Property>

    /// The fields, in the order of responses.
    package static let fields: [Field<Property>] = [
        F("id", .publicLevel) { $0.id },
        F("name", .publicLevel, audit: .personal()) { $0.name },
        F("portfolioId", .resident) { $0.portfolioID },
        F(
            "address", .publicLevel, columns: ["has_address", "street", "city", "state", "postal_code", "country"],
            audit: .changed(as: { .postalAddress($0.address) })
        ) { $0.address },
        F("managerUserIds", .management) { property, _, tenancy in
            tenancy.holders(of: [.propertyManager], on: .property(property.id))
        },
        F("unitIds", .operations) { property, _, tenancy in tenancy.unitIDs(of: property.id) },
        F("defaultTimeZone", .publicLevel, audit: .changed) { $0.defaultTimeZone },
        F(
            "lockdown", .management, as: Lockdown.fields.schema(), part: ("active", .publicLevel),
            columns: ["lockdown_since", "lockdown_by", "lockdown_reason"],
            audit: .changed(if: { $0.lockdown != $1.lockdown }, as: { .lockdown($0.lockdown) })
        ) { property, reader, tenancy in Lockdown.fields.object(property.lockdown, for: reader, in: tenancy) },
        F("createdAt", .resident) { $0.createdAt },
        F("updatedAt", .resident) { $0.updatedAt },
        .viewLevel(),
    ]
}

extension Unit {
    private typealias F = Field<Unit>

    /// The fields, in the order of responses.
    package static let fields: [Field<Unit>] = [
        F("id", .publicLevel) { $0.id },
        F("name", .publicLevel, audit: .personal()) { $0.name },
        F("propertyId", .publicLevel) { $0.propertyID },
        F("portfolioId", .resident) { $0.portfolioID },
        F("tenantUserIds", .management) { unit, _, tenancy in tenancy.holders(of: [.tenant], on: .unit(unit.id)) },
        F("deviceIds", .resident) { unit, _, tenancy in tenancy.deviceIDs(of: unit.id) },
        F("commonAreaAccessIds", .resident, columns: ["common_area_ids"], audit: .changed) { $0.commonAreaAccessIDs },
        F("createdAt", .resident) { $0.createdAt },
        F("updatedAt", .resident) { $0.updatedAt },
        .viewLevel(),
    ]
}

extension PostalAddress: FieldConvertible {
    package static let schema = JSONSchema.object(
        ["street", "city", "state", "postalCode", "country"].map { JSONSchema.Member($0, .nullable(.text)) })

    package var fieldValue: FieldValue {
        .object([
            .init("street", street), .init("city", city), .init("state", state), .init("postalCode", postalCode),
            .init("country", country),
        ])
    }
}

extension Lockdown {
    private typealias F = Field<Lockdown?>

    /// Levels below management see only whether a lockdown is active.
    fileprivate static let fields: [Field<Lockdown?>] = [
        F("active", .publicLevel) { $0 != nil },
        F("since", .management) { $0?.since },
        F("byUserId", .management) { $0?.byUserID },
        F("reason", .management) { $0?.reason },
    ]
}

extension RecordValue {
    fileprivate static func lockdown(_ lockdown: Lockdown?) -> RecordValue {
        guard let lockdown else { return .object(["active": .bool(false)]) }
        return .object([
            "active": .bool(true), "since": .string(lockdown.since.description),
            "byUserId": lockdown.byUserID.map { .string($0.description) } ?? .null,
            "reason": lockdown.reason.map { .personal($0, person: lockdown.byUserID) } ?? .null,
        ])
    }

    fileprivate static func limits(_ limits: [SubscriptionLimit: Int]) -> RecordValue {
        .object(limits.reduce(into: [:]) { $0[$1.key.rawValue] = .integer(Int64($1.value)) })
    }
}

extension RecordValue {
    /// The lines of an address as one personal text: the address of a house may be that of a person.
    fileprivate static func postalAddress(_ address: PostalAddress?) -> RecordValue {
        guard let address else { return .null }
        let lines = [address.street, address.postalCode, address.city, address.state, address.country]
        return .personal(lines.compactMap(\.self).joined(separator: ", "), person: nil)
    }
}

extension TenancyDirectory {
    fileprivate func holders(of roles: Set<Role>, on entity: AssociatedEntity) -> [UserID] {
        Set(associations(on: entity).filter { roles.contains($0.role) }.map(\.userID)).sorted()
    }
}

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
        .object([.init("timeZone", timeZone ?? zone), .init("validFrom", validFrom), .init("validUntil", validUntil)])
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
            .init("timeZone", timeZone),
            .init("periods", .list(periods.map { .object([.init("days", $0.days.days)] + $0.hours.members) })),
            .init(
                "specialDays",
                .list(
                    specialDays.map { day in
                        .object([
                            .init("date", day.date.description),
                            .init("periods", .list(day.periods.map { .object($0.members) })),
                        ])
                    })),
            .init("specialDayCut", specialDayCut),
        ])
    }

    /// The schedule in a record.
    var recorded: RecordValue { fieldValue.recordedWhole }
}

extension Schedule.Hours {
    fileprivate var members: [FieldValue.Member] {
        [.init("from", from.description), .init("until", until.description)]
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
