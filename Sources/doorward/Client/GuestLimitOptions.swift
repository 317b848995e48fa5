import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardDomain

/// The options of `grant` and `change` that limit a guest access to recurring hours and to a number of uses.
struct GuestLimitOptions: ParsableArguments {
    /// The meaning of the options, for help texts.
    static let help = """
        --days and --hours narrow the access to recurring hours on the property's clock, or on that of --zone. Without --hours the \
        days are whole, without --days the hours are those of every day. A period whose end is not later than its start ends on \
        the next day, and belongs to the day on which it begins. For other hours on some days than on others, repeat --hours with \
        the days of each: --hours "mon-fri 09:00-12:00,13:00-17:00" --hours "sat 10:00-12:00". On the date of a --special its hours \
        replace all others.

        A local time that clocks skip in spring is the instant at which they are put forward. One that they show twice in autumn \
        is the first of both; give an offset, as in +01:00, for the second. The command prints each time as it was understood.
        """

    @Option(
        help: ArgumentHelp("Only on these days: mon-fri,sun or MON,TUE.", valueName: "days"), transform: DaysArgument.init)
    var days: DaysArgument?

    @Option(
        help: ArgumentHelp(
            """
            Only in these periods of the day: 09:00-12:00,13:00-17:00 or 22:00-06:00. 24:00 is the end of the day. With days before \
            them, as in "mon-fri 09:00-12:00", on these days; the option can be repeated.
            """,
            valueName: "hours"), transform: HoursArgument.init)
    var hours: [HoursArgument] = []

    @Option(
        help: ArgumentHelp(
            """
            Other hours on one date: 2026-12-24=09:00-12:00, or 2026-12-25=closed; the option can be repeated.
            """,
            valueName: "date=hours"), transform: SpecialDayArgument.init)
    var special: [SpecialDayArgument] = []

    @Option(help: ArgumentHelp("Only for so many commands that open a lock, in all.", valueName: "number"))
    var maxUses: Int?

    @Option(
        help: ArgumentHelp(
            "The time zone of times without an offset and of the hours, as in Europe/Berlin. (default: the property's)",
            valueName: "zone"), transform: ZoneArgument.init)
    var zone: ZoneArgument?

    var recurring: RecurringHours { RecurringHours(days: days, hours: hours, special: special.isEmpty ? nil : special) }

    /// The first option about recurring hours that was given; `nil` without one.
    var hoursOption: String? { days != nil ? "--days" : !hours.isEmpty ? "--hours" : special.isEmpty ? nil : "--special" }

    func validate() throws {
        try recurring.validate()
        let range = WireLimits.guestUses
        if let maxUses, !range.contains(maxUses) {
            throw ValidationError("--max-uses takes a number from \(range.lowerBound) to \(range.upperBound).")
        }
    }

    /// Returns the zone of local times: that of `--zone`, else that of the property.
    ///
    /// - Parameters:
    ///   - option: the option whose local time or hours need a zone; `nil` if none does.
    ///   - ofProperty: looks up the zone of the property; `nil` if it has none that the caller may see.
    /// - Throws: a usage error if a zone is needed and there is none.
    func zone(for option: String?, ofProperty: () async throws -> String?) async throws -> WindowZone? {
        guard let option else { return zone.flatMap { WindowZone($0.name) } }
        if let zone { return WindowZone(zone.name) }
        let offset = option == "--from" || option == "--until" ? ", or a time with an offset, as in 2026-12-24T15:00+01:00" : ""
        let remedy = "Give one, as in --zone Europe/Berlin\(offset)."
        guard let name = try await ofProperty() else {
            throw CommandFailure("\(option) needs a time zone, and the property has none. \(remedy)", code: 2)
        }
        guard let known = WindowZone(name) else {
            throw CommandFailure(
                "\(option) needs a time zone, and this machine does not know the property's, `\(name.printable)`. \(remedy)",
                code: 2)
        }
        return known
    }

    /// Maps a field of a request to the option that sets it.
    func option(_ field: String) -> FieldOption? {
        switch field {
        case "validFrom": FieldOption("--from")
        case "validUntil": FieldOption("--until")
        case "operations": FieldOption("--operations")
        case "maxUses": FieldOption("--max-uses", value: maxUses.map { "\($0)" })
        case "timeZone", "schedule.timeZone": FieldOption("--zone", value: zone?.name)
        case _ where field.hasPrefix("schedule.specialDays"): FieldOption("--special")
        case _ where field.hasPrefix("schedule"): FieldOption(field.hasSuffix("days") && days != nil ? "--days" : "--hours")
        default: field.hasPrefix("deviceIds") ? FieldOption("the lock") : nil
        }
    }
}

extension NameResolver {
    /// Returns the time zone of a property; `nil` if it has none, or if the caller may not read the property.
    func timeZone(ofProperty id: String?) async throws -> String? {
        guard let id else { return nil }
        do {
            return try await client.properties.property(id).content.property.defaultTimeZone
        } catch ClientError.refused(let refusal) where [403, 404].contains(refusal.status) {
            return nil
        }
    }
}

extension GuestAccessView {
    /// Prints notes about ends of the window that a change of the clock decided to standard error, for output that does not
    /// contain them.
    func warnOfClockChanges(_ output: OutputOptions) {
        guard !output.json, !OutputStyle.output.isInteractive else { return }
        for change in clockChanges { StandardStream.error.line("doorward: \(change)") }
    }
}
