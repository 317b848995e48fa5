import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward change`: changes a guest access.
struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change a guest access: extend or shorten it, or change its hours, uses, operations and locks.",
        discussion: """
            Fields without an option do not change. The change is in force at once: after exit code 0 no command is sent under a right \
            that the change removed. The command prints what was changed, before and after. If another person changes the access at the \
            same moment, nothing is changed.

            ACCESS is an id, as `doorward grants` lists it, or a label or guest's name that only one current access has.

            \(WindowTimes.help) In --until, +2h counts from --from, or from now without --from. An end that has passed ends the \
            access now.

            \(GuestLimitOptions.help) With only one of --days and --hours, the other does not change. --special replaces all special \
            days, --no-special removes them. --max-uses includes the uses that were already made.

            Examples:
              doorward change Plumber --until "tomorrow 18:00"
              doorward change Cleaner --days tue,fri --max-uses 20
              doorward change Cleaner --special 2026-12-24=09:00-12:00 --special 2026-12-25=closed
              doorward change Cleaner --any-hours --any-uses
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @Option(parsing: .unconditional, help: ArgumentHelp("The new start.", valueName: "time"))
    var from: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The new end.", valueName: "time"))
    var until: String?

    @OptionGroup var limits: GuestLimitOptions

    @Flag(help: "Allow it in the whole window, at all hours.")
    var anyHours = false

    @Flag(help: "Remove all special days.")
    var noSpecial = false

    @Flag(help: "Allow any number of uses.")
    var anyUses = false

    @Option(
        help: ArgumentHelp(
            "All operations that the guest may perform after the change: \(GuestOperations.allowed.joined(separator: ", ")).",
            valueName: "operations"),
        completion: .list(GuestOperations.allowed), transform: GuestOperations.words)
    var operations: [String]?

    @Option(
        help: ArgumentHelp(
            "A lock that the access covers after the change, by name or id; the option can be repeated, and replaces all locks.",
            valueName: "lock"), completion: .lockName)
    var lock: [String] = []

    @Option(help: ArgumentHelp("The new label, or name of the guest in `doorward grants`.", valueName: "label"))
    var label: String?

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if anyHours, changesHours {
            throw ValidationError("--any-hours cannot be combined with --days, --hours, --special and --no-special.")
        }
        if noSpecial, !limits.special.isEmpty { throw ValidationError("--no-special cannot be combined with --special.") }
        if anyUses, limits.maxUses != nil { throw ValidationError("--any-uses cannot be combined with --max-uses.") }
        let isNothing =
            from == nil && until == nil && !changesHours && !anyHours && limits.maxUses == nil && !anyUses
            && operations == nil && lock.isEmpty && label == nil
        guard isNothing else { return }
        let what = limits.zone == nil ? "something to change" : "the times or hours that are in that zone"
        throw ValidationError("Name \(what), as in --until \"tomorrow 18:00\".")
    }

    private var changesHours: Bool { limits.hoursOption != nil || noSpecial }

    func run() async throws {
        let times = try WindowTimes(from: from, until: until)
        let (client, found) = try await access.find(at: output.gateway)
        let finder = NameResolver(client)
        var locks: [String] = []
        for lock in lock { locks.append(try await finder.lock(lock).id) }
        let before = try await client.guestAccesses.get(found.id)
        let old = before.content
        let change = try await change(of: old, to: times, locks, finder)
        let answer = try await namingOptions(option) {
            try await client.guestAccesses.change(old.id, change, onlyIf: before.etag)
        }
        let new = answer.content
        let lockNames = output.json ? [:] : try await finder.lockNames(in: [old, new])
        let followsProperty = [old, new].contains { $0.schedule.map { $0.timeZone == nil } ?? false }
        let zone = followsProperty && !output.json ? try await finder.timeZone(ofProperty: new.propertyId) : nil
        let now = SystemClock().now()
        func view(_ access: Doorward.GuestAccess) -> GuestAccessView {
            GuestAccessView(access: access, lockNames: lockNames, propertyZone: zone, now: now)
        }
        let after = view(new)
        output.print(json: answer.json) { after.changes(since: view(old), $0) }
        if from != nil || until != nil { output.warn(after.clockChanges) }
        if let warning = answer.warning, !output.json { StandardStream.error.line("doorward: \(warning.printable)") }
    }

    private func change(
        of access: Doorward.GuestAccess, to times: WindowTimes, _ locks: [String], _ finder: NameResolver
    ) async throws -> Doorward.GuestAccessFields {
        var change = Doorward.GuestAccessFields()
        (change.label, change.operations) = (label, operations)
        if !locks.isEmpty { change.deviceIds = locks }
        if let maxUses = limits.maxUses { change.maxUses = .some(maxUses) }
        if anyUses { change.maxUses = .some(nil) }
        let zone = try await limits.zone(for: times.localOption) {
            if let zone = access.resolution?.timeZone { return zone }
            return try await finder.timeZone(ofProperty: access.propertyId)
        }
        let window = times.resolved(now: SystemClock().now(), in: zone)
        (change.validFrom, change.validUntil) = (window.from?.text, window.until?.text)
        if times.localOption != nil { change.timeZone = zone?.name }
        if anyHours { change.schedule = .some(nil) }
        if changesHours { change.schedule = .some(try await schedule(of: access, finder)) }
        return change
    }

    /// - Returns: `nil` if the access has no recurring hours and gets none.
    private func schedule(of access: Doorward.GuestAccess, _ finder: NameResolver) async throws -> Doorward.GuestAccess.Schedule?
    {
        let named = limits.zone?.name ?? access.schedule?.timeZone
        if named == nil {
            _ = try await limits.zone(for: limits.hoursOption) { try await finder.timeZone(ofProperty: access.propertyId) }
        }
        var recurring = limits.recurring
        if noSpecial { recurring.special = [] }
        guard let old = access.schedule else {
            return limits.hoursOption == nil ? nil : Doorward.GuestAccess.Schedule(recurring, timeZone: named)
        }
        guard let schedule = old.changed(by: recurring, timeZone: named) else {
            throw CommandFailure(
                """
                The hours differ from day to day (\(old.words)). Give --days and --hours, or --hours with days, which then replace \
                all of them.
                """,
                code: 2)
        }
        return schedule
    }

    /// Maps a field of the request to its command-line option.
    private func option(_ field: String) -> FieldOption? {
        switch field {
        case "label": FieldOption("--label")
        default: field.hasPrefix("deviceIds") ? FieldOption("--lock") : limits.option(field)
        }
    }
}

extension GuestAccessView {
    /// Returns the facts that have changed: on a terminal as sentences; in a pipe a line for each, with its name, the old and the new
    /// value.
    func changes(since before: GuestAccessView, _ style: OutputStyle) -> [String] {
        let (old, new) = (before.facts(style), facts(style))
        let changed = zip(old, new).filter { $0.value != $1.value }.map { (name: $0.name, old: $0.value, new: $1.value) }
        guard style.isInteractive else { return changed.map { "\($0.name)\t\($0.old)\t\($0.new)" } }
        let (name, id) = (guest.printable, access.id.printable)
        if changed.isEmpty { return ["The guest access of \(name), id \(id), already has these values: nothing was changed."] }
        let width = changed.map(\.name.count).max() ?? 0
        let notes = clockChanges.filter { !before.clockChanges.contains($0) }
        return ["Changed the guest access of \(name), id \(id)."]
            + changed.flatMap { fact in
                ["  \(fact.name.padded(to: width))  \(fact.old)", "  \("".padded(to: width))  now \(fact.new)"]
            } + notes.map { "  \($0)" }
    }

    private func facts(_ style: OutputStyle) -> [(name: String, value: String)] {
        [
            ("label", access.label?.printable ?? "-"), ("locks", locks.printable), ("operations", operations),
            ("from", window(access.validFrom, style)), ("until", window(access.validUntil, style)),
            ("hours", hours ?? (style.isInteractive ? "all" : "-")),
            ("uses", uses ?? (style.isInteractive ? "any number" : "-")), ("status", status.text),
        ]
    }
}
