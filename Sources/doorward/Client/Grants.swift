import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward grants`: lists guest accesses.
struct Grants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the guest accesses that you hold, granted or may manage.",
        discussion: """
            The status is active, scheduled (the window has not started), expired (the window has ended) or revoked. HOURS are those \
            of the property or of the zone beside them, USES the uses that are left of all, and LINK is `yes` if there is a link \
            that works; you see it if you may end it. FROM and UNTIL are in your own time zone.

            On a terminal, columns without any value are left out. A narrow table has no ids, and may show only the uses that are left, \
            from 100,000 on in thousands (120k); --wide shows everything.

            Example: doorward grants "Front door"
            """)

    @Argument(help: ArgumentHelp("Only guest accesses to this lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let finder = NameResolver(client)
        let deviceID: String? = if let lock { try await finder.lock(lock).id } else { nil }
        let accesses = try await client.guestAccesses.list([("deviceId", deviceID)]).all()
        let locks = output.json ? [:] : try await finder.lockNames(in: accesses.content)
        let hasLinks = !output.json && !accesses.content.isEmpty
        let withLink = client.guestAccesses.list([("deviceId", deviceID), ("hasLink", "true")])
        let linked = hasLinks ? Set(try await withLink.all().content.map(\.id)) : []
        let now = SystemClock().now()
        let views = accesses.content.map {
            GuestAccessView(access: $0, lockNames: locks, hasLink: linked.contains($0.id), now: now)
        }
        output.print(json: accesses.json) {
            let style = table.style($0)
            return GuestAccessView.table(views, style).lines(style, empty: "There are no guest accesses.")
        }
    }
}

/// Prints a guest access.
struct GuestAccessView {
    let access: Doorward.GuestAccess
    /// The names of locks by id.
    var lockNames: [String: String] = [:]
    /// Whether there is a link that the caller may know of.
    var hasLink = false
    /// The zone that hours without their own follow; `nil` if it is not known.
    var propertyZone: String?
    let now: Timestamp

    var guest: String { access.guest?.name ?? access.label ?? access.guestUserId ?? "somebody" }

    var locks: String { (access.deviceIds ?? []).map { lockNames[$0] ?? $0 }.joined(separator: ", ") }

    var operations: String { (access.operations ?? []).map(DisplayText.word).joined(separator: ", ") }

    /// Whether the access has ended or was revoked.
    var isOver: Bool { access.revokedAt != nil || (access.validUntil.map { Timestamp($0) <= now } ?? false) }

    /// The names by which the access can be found: its guest by name and address, and its label if this is a different text.
    var candidates: [NameMatch] {
        let label = access.label.flatMap { $0 == guest ? nil : $0 }
        let place = [locks, access.validUntil.map { "until \($0)" }, status.text].compactMap(\.self).joined(separator: ", ")
        return [guest, access.guest?.email, label].compactMap { $0.map { NameMatch(id: access.id, name: $0, place: place) } }
    }

    /// The status of the access by this machine's clock. Decisions depend only on the gateway's clock.
    var status: Table.Cell {
        if access.revokedAt != nil { return Table.Cell("revoked", .dim) }
        if let until = access.validUntil, Timestamp(until) <= now { return Table.Cell("expired", .dim) }
        if let from = access.validFrom, Timestamp(from) > now { return Table.Cell("scheduled", .yellow) }
        return Table.Cell("active", .green)
    }

    // MARK: - A table

    /// Guest accesses as a table. On a terminal, columns that no access fills are left out; so are the ids if even the narrowest
    /// table with them does not fit. If it still does not fit, only the number of uses that are left is shown.
    static func table(_ views: [GuestAccessView], _ style: OutputStyle) -> Table {
        let all = columns(views, style, uses: Column("USES") { Table.Cell($0.uses, $0.access.usesLeft == 0 ? .red : nil) })
        let withoutIDs = all.filter { $0.fitting != .id }
        if let table = [all, withoutIDs].lazy.map({ Table(views, $0) }).first(where: { $0.fits(style) }) { return table }
        return Table(views, columns(views, style, uses: Column("USES", .whole, \.usesLeft)).filter { $0.fitting != .id })
    }

    private static func columns(
        _ views: [GuestAccessView], _ style: OutputStyle, uses: Column<GuestAccessView>
    ) -> [Column<GuestAccessView>] {
        let optional = [
            Column("HOURS", .cut(to: 5)) { Table.Cell($0.hours) }, uses, Column("LINK") { Table.Cell($0.hasLink ? "yes" : nil) },
        ]
        let filled = optional.filter { column in !style.isInteractive || views.contains { column.cell($0).text != "-" } }
        return [
            Column("GUEST", .cut(to: 5)) { Table.Cell($0.guest) }, Column("LOCKS", .cut(to: 5)) { Table.Cell($0.locks) },
            Column("OPERATIONS", .optional) { Table.Cell($0.operations) },
            Column("FROM") { style.cell($0.access.validFrom, now: $0.now) },
            Column("UNTIL") { style.cell($0.access.validUntil, now: $0.now) },
        ] + filled + [Column("STATUS", .whole, \.status), Column("ID", .id) { Table.Cell($0.access.id, .dim) }]
    }

    /// Only the number that is left, at most five characters: from 100,000 on in whole thousands.
    private var usesLeft: Table.Cell {
        let left = access.usesLeft.map { $0 < 100_000 ? "\($0)" : "\($0 / 1000)k" }
        return Table.Cell(access.maxUses == nil ? nil : left ?? "?", access.usesLeft == 0 ? .red : nil)
    }

    // MARK: - Sentences

    /// The recurring hours with their zone; `nil` if the access has none.
    var hours: String? { access.schedule.map { "\($0.words)\(($0.timeZone ?? propertyZone).map { " \($0.printable)" } ?? "")" } }

    /// The uses that are left, as `2/3`; `nil` if there is no limit.
    var uses: String? { access.maxUses.map { "\(access.usesLeft.map { "\($0)" } ?? "?")/\($0)" } }

    /// The window, the hours and the uses as lines on a terminal, with the zone in which they are understood.
    func understood(_ style: OutputStyle) -> [String] {
        var lines = ["  from  \(window(access.validFrom, style))", "  until \(window(access.validUntil, style))"]
        lines += clockChanges.map { "  \($0)" }
        if let schedule = access.schedule {
            let zone = schedule.timeZone ?? propertyZone.map { "\($0), the property's time" } ?? "the property's time"
            lines.append("  only  \(schedule.regularWords ?? "never") (\(zone.printable))")
            lines += schedule.specialWords.map { "  on    \($0)" }
        }
        if let max = access.maxUses {
            let (left, all) = (access.usesLeft ?? max, DisplayText.count(max, "use"))
            lines.append("  for   \(left == max ? all : "\(left) of \(all)")")
        }
        return lines
    }

    /// An instant of the window as text: on the clock of its zone and in UTC; in a pipe in UTC only.
    func window(_ instant: Doorward.Instant?, _ style: OutputStyle) -> String {
        guard let instant else { return "-" }
        let time = Timestamp(instant)
        // Such as `Thu 2026-12-24 15:00 Europe/Berlin`; in the user's own zone if the window has none.
        let clock = zone.map { "\($0.local(at: time).withDay) \($0.name)" } ?? TimeZoneRules.zoned(time)
        return style.isInteractive ? "\(clock) (\(instant))" : instant.description
    }

    private var zone: TimeZoneRules? { access.resolution?.timeZone.flatMap { TimeZoneDatabase.system.rules(of: $0) } }

    /// Sentences about ends of the window that a change of the clock decided.
    var clockChanges: [String] {
        [
            clockChange("--from", access.resolution?.validFrom, access.validFrom),
            clockChange("--until", access.resolution?.validUntil, access.validUntil),
        ].compactMap(\.self)
    }

    private func clockChange(_ option: String, _ change: String?, _ instant: Doorward.Instant?) -> String? {
        guard let zone, let instant = instant.map({ Timestamp($0) }) else { return nil }
        let clock = zone.local(at: instant).withDay.split(separator: " ").last ?? ""
        switch change {
        case "gap":
            return
                "\(option): clocks in \(zone.name) skip that time. It is the instant at which they are put forward to \(clock)."
        case "overlap":
            let second = zone.resolve(zone.local(at: instant), fold: .second).instant
            return "\(option): clocks in \(zone.name) show \(clock) twice. It is the first time; the second is \(second)."
        default: return nil
        }
    }
}

/// `doorward revoke`: revokes a guest access.
struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a guest access at once.",
        discussion: """
            After exit code 0 no command is sent under this access any more, not even one that was queued.

            ACCESS is an id, as `doorward grants` lists it, or a label or guest's name that only one current access has.

            Example: doorward revoke Plumber
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let (client, access) = try await access.find(at: gateway)
        try await client.guestAccesses.deletion(of: access.id).perform()
        StandardStream.tell("Revoked \(access.nameAndID).", values: access.id, "revoked")
    }
}

/// `doorward link`: creates and ends links of guest accesses.
struct LinkGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Create and end the link of a guest access, with which a guest needs no account.",
        discussion: """
            Whoever has the link can use the guest access until it ends. A guest access has at most one link.

            ACCESS is an id, as `doorward grants` lists it, or a label or guest's name that only one current access has.
            """,
        subcommands: [LinkCreate.self, LinkEnd.self])
}

/// `doorward link create`: creates the link of a guest access.
struct LinkCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create the link of a guest access, and print it once.",
        discussion: """
            A new link replaces an earlier one, which stops working at once. On a terminal a QR code of the link is printed too.

            Example: doorward link create Plumber
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, access) = try await access.find(at: output.gateway)
        let answer = try await client.guestAccesses.createLink(of: access.id)
        output.print(json: answer.json) { answer.content.lines(access: access.id, $0) }
        output.warn([answer.content.warning?.printable].compactMap(\.self))
    }
}

/// `doorward link end`: ends the link of a guest access.
struct LinkEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End the link of a guest access at once.",
        discussion: """
            The guest access itself stays: `doorward revoke` ends both. After exit code 0 no command of the link's holder is sent \
            any more.

            Example: doorward link end Plumber
            """)

    @OptionGroup var access: NounArgument<Doorward.GuestAccess>

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let (client, access) = try await access.find(at: gateway)
        try await client.guestAccesses.endLink(of: access.id)
        StandardStream.tell("Ended the link of \(access.nameAndID).", values: access.id, "link ended")
    }
}

extension Doorward.GuestLink {
    /// Returns the lines to print: on a terminal the link, its QR code and an explanation; in a pipe the link alone.
    ///
    /// - Parameter access: the id of the guest access.
    func lines(access: String, _ style: OutputStyle) -> [String] {
        guard style.isInteractive else { return [url.printable] }
        return ["The link of the guest access, until \(style.instant(expiresAt)):", "  \(url.printable)"]
            + (QRCode(url)?.terminalLines(hasColour: style.hasColour) ?? []) + [
                "It is not shown again. Whoever has it can use it: hand it over to the guest only.",
                "`doorward link end \(access.shellQuoted)` ends it.",
            ] + (warning.map { [$0.printable] } ?? [])
    }
}
