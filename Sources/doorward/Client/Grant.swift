import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward grant`: grants a guest access for a window of time.
struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Grant a person access to locks for a period.",
        discussion: """
            The first argument is a person: an email address, an id or a name. A name works for people that you may list, for \
            your guests, and for people in your log. The other arguments are locks, by name or id.

            With --label the first argument is the label of a guest without an account, who uses the access by its link: \
            --link creates it, or later `doorward link create`. On a terminal a QR code of the link is printed too.

            The guest may operate the locks from --from until --until, excluding the latter.

            \(WindowTimes.help) In --until, +2h counts from --from.

            \(GuestLimitOptions.help)

            Examples:
              doorward grant "Gus Example" Cellar --from "tomorrow 9:00" --until +2h
              doorward grant cleaner@example.org "Front door" --from now --until +90d --days mon,thu --hours 09:00-12:00
              doorward grant Caretaker Cellar --label --from now --until +90d --hours "mon-fri 09:00-12:00" --hours "sat 10:00-11:00" \
            --special 2026-12-25=closed
              doorward grant courier@example.org Cellar --from now --until 20:00 --max-uses 1
              doorward grant Plumber "Front door" --label --link --from "tomorrow 9:00" --until +2h
            """)

    @Argument(help: ArgumentHelp("A person; with --label, a label.", valueName: "user-or-label"))
    var guest: String

    @Argument(help: ArgumentHelp("The locks: names or ids.", valueName: "lock"), completion: .lockName)
    var locks: [String]

    @Option(parsing: .unconditional, help: ArgumentHelp("The start of the access.", valueName: "time"))
    var from: String

    @Option(parsing: .unconditional, help: ArgumentHelp("The end of the access.", valueName: "time"))
    var until: String

    @OptionGroup var limits: GuestLimitOptions

    @Option(
        help: ArgumentHelp(
            """
            The operations that the guest may perform, separated by commas: \(GuestOperations.allowed.joined(separator: ", ")). \
            (default: \(GuestOperations.standard.joined(separator: ",")))
            """,
            valueName: "operations"),
        completion: .list(GuestOperations.allowed), transform: GuestOperations.words)
    var operations = GuestOperations.standard

    @Flag(name: .customLong("label"), help: "Take the first argument as the label of a guest without an account.")
    var isLabel = false

    @Flag(name: .customLong("link"), help: "Create the link of the access, and print it once.")
    var createsLink = false

    @Option(
        help: ArgumentHelp(
            "A note about the person, by which later commands find them too. Everybody who sees the guest access sees this note.",
            valueName: "note"))
    var name: String?

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if isLabel, name != nil { throw ValidationError("--name is for a person; with --label the first argument is the name.") }
    }

    func run() async throws {
        let times = try WindowTimes(from: from, until: until)
        let client = try output.client()
        let finder = NameResolver(client)
        var found: [NameMatch] = []
        for lock in locks { found.append(try await finder.lock(lock)) }
        var access = Doorward.GuestAccessFields()
        (access.label, access.deviceIds, access.operations) = (isLabel ? guest : name, found.map(\.id), operations)
        if let maxUses = limits.maxUses { access.maxUses = maxUses }
        if !isLabel {
            let hint = "Name the person by email address or id, or add --label for a guest without an account."
            let isAddress = guest.contains("@")
            access.guestEmail = isAddress ? guest.trimmed : nil
            access.guestUserId = isAddress ? nil : try await finder.person(guest, hint: hint).id
        }
        let needing = times.localOption ?? limits.hoursOption
        let zone = try await limits.zone(for: needing) { [id = found.first?.id] in
            guard let id else { return nil }
            return try await finder.timeZone(ofProperty: try await client.devices.get(id).content.propertyId)
        }
        let now = SystemClock().now()
        let window = times.resolved(now: now, in: zone)
        (access.validFrom, access.validUntil) = (window.from?.text ?? "", window.until?.text ?? "")
        access.timeZone = times.localOption == nil ? limits.zone?.name : zone?.name
        // Without --zone the hours follow the zone of the property, also when it changes.
        if limits.hoursOption != nil {
            access.schedule = Doorward.GuestAccess.Schedule(limits.recurring, timeZone: limits.zone?.name)
        }
        let complete = access
        let answer = try await namingOptions(
            option, explain: { $0.status == 404 ? await finder.missingGuest(complete).map { $0 + " Nothing was granted." } : nil }
        ) { try await client.guestAccesses.create(complete) }
        let locks = Dictionary(found.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let granted = answer.content
        var view = GuestAccessView(
            access: granted, lockNames: locks, propertyZone: limits.zone == nil ? zone?.name : nil, now: now)
        guard createsLink else { return show(view, answer.json, nil) }
        do {
            let link = try await client.guestAccesses.createLink(of: granted.id)
            view.hasLink = true
            // The gateway's JSON of the access and of its link, `{"guestAccess":…}` and `{"link":…}`, joined to one object.
            show(view, answer.json.dropLast() + [UInt8(ascii: ",")] + link.json.dropFirst(), link.content)
        } catch {
            // The access exists nevertheless.
            show(view, answer.json, nil)
            throw error
        }
    }

    private func show(_ view: GuestAccessView, _ json: [UInt8], _ link: Doorward.GuestLink?) {
        output.print(json: json) { style in
            (style.isInteractive
                ? sentences(view, style) : GuestAccessView.table([view], style).lines(style))
                + (link?.lines(access: view.access.id, style) ?? [])
        }
        output.warn(view.clockChanges + [link?.warning?.printable].compactMap(\.self))
    }

    /// Maps a field of the request to its command-line option.
    private func option(_ field: String) -> FieldOption? {
        switch field {
        case "label": FieldOption(isLabel ? "the label" : "--name")
        case "guestUserId", "guestEmail": FieldOption("the person")
        default: limits.option(field)
        }
    }

    private func sentences(_ view: GuestAccessView, _ style: OutputStyle) -> [String] {
        let id = view.access.id.printable
        return ["\(view.guest.printable) may \(view.operations) \(view.locks.printable)"] + view.understood(style) + [
            "`doorward change \(id)` changes it.", "`doorward revoke \(id)` ends it.",
        ] + (isLabel && !view.hasLink ? ["`doorward link create \(id)` creates the link with which the guest can use it."] : [])
    }
}

/// The options of `grant` and `change` that limit a guest access to recurring hours and to a number of uses.
struct GuestLimitOptions: ParsableArguments {
    /// The meaning of the options, for help texts.
    static let help = """
        --days and --hours narrow the access to recurring hours on the property's clock, or on that of --zone. Without --hours, the access \
        is valid on those days at any hour; without --days, the hours are those of every day. A period whose end is not later than its \
        start ends on the next day, and belongs to the day on which it begins. For hours that differ from day to day, repeat --hours with \
        the days of each: --hours "mon-fri 09:00-12:00,13:00-17:00" --hours "sat 10:00-12:00". On the date of a --special its hours \
        replace all others.

        A local time that the clock skips in spring stands for the instant of the change. A local time that occurs twice in autumn stands \
        for the first of the two instants; for the second, give an offset, as in +01:00. The command prints each time as it was \
        understood.
        """

    @Option(
        help: ArgumentHelp("Only on these days: mon-fri,sun or MON,TUE.", valueName: "days"),
        transform: { try WeekdaySet(typed: $0) })
    var days: WeekdaySet?

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
            valueName: "date=hours"), transform: Doorward.GuestAccess.SpecialDay.init(typed:))
    var special: [Doorward.GuestAccess.SpecialDay] = []

    @Option(help: ArgumentHelp("The total number of commands that may open a lock.", valueName: "number"))
    var maxUses: Int?

    @Option(
        help: ArgumentHelp(
            "The time zone of times without an offset and of the hours, as in Europe/Berlin. (default: the property's)",
            valueName: "zone"), transform: TimeZoneRules.typed)
    var zone: TimeZoneRules?

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
    func zone(for option: String?, ofProperty: () async throws -> String?) async throws -> TimeZoneRules? {
        if let zone { return zone }
        guard let option else { return nil }
        let offset = option == "--from" || option == "--until" ? ", or a time with an offset, as in 2026-12-24T15:00+01:00" : ""
        let remedy = "Give one, as in --zone Europe/Berlin\(offset)."
        guard let name = try await ofProperty() else {
            throw CommandFailure("\(option) needs a time zone, and the property has none. \(remedy)", code: 2)
        }
        guard let known = TimeZoneDatabase.system.rules(of: name) else {
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

/// The operations allowed to a guest, by their names in the API.
enum GuestOperations {
    static let allowed = [LockOperation.lock, .unlock, .unlatch].map(\.rawValue)
    static let standard = ["LOCK", "UNLOCK"]

    /// Reads the operations as typed for `--operations`.
    ///
    /// - Returns: the operations without duplicates, in the typed order.
    /// - Throws: a `ValidationError` that lists the wrong operation and the allowed ones.
    static func words(_ text: String) throws -> [String] {
        try text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { words, part in
            let typed = String(part.filter { !$0.isWhitespace })
            guard allowed.contains(typed.uppercased()) else {
                let hint = nearestName(to: typed, among: allowed).map { "Did you mean `\($0)`? " } ?? ""
                throw ValidationError(
                    "`\(typed.printable)` is not an operation. \(hint)The operations are \(allowed.joined(separator: ", ")).")
            }
            if !words.contains(typed.uppercased()) { words.append(typed.uppercased()) }
        }
    }
}
