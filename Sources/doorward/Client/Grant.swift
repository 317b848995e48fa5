import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward grant`: lets somebody in for a window of time.
struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give somebody access to locks for a while.",
        discussion: """
            The first argument is a person, by id, email address or name; an email address has to be somebody's. Any other text is \
            the label of a guest without an account: it stands in the list and the log, but in this version only people who can \
            sign in get in. The other arguments are locks, by name or id.

            The guest may lock and unlock them from the instant --from on, and no more from the instant --until on.

            \(TimeArgument.help) In --until, +2h counts from --from.

            Example: doorward grant "Gus Example" Cellar --from "tomorrow 9:00" --until +2h
            """)

    @Argument(help: ArgumentHelp("A person, or the label of a guest.", valueName: "user-or-label"))
    var guest: String

    @Argument(help: ArgumentHelp("The locks: names or ids.", valueName: "lock"), completion: .lockName)
    var locks: [String]

    @Option(help: ArgumentHelp("When it begins.", valueName: "time"))
    var from: String

    @Option(help: ArgumentHelp("When it ends.", valueName: "time"))
    var until: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let now = SystemClock().now()
        let begin = try TimeArgument(from, option: "--from").instant(now: now)
        let end = try TimeArgument(until, option: "--until").instant(now: now, start: begin)
        let client = try ClientAccess().client()
        let finder = Finder(client)
        var found: [Finder.FoundLock] = []
        for lock in locks { found.append(try await finder.lock(lock)) }
        let user = try await finder.guest(guest)
        let answer = try await client.guestAccesses.grant(
            Wire.NewGuestAccess(
                guestUserId: user?.id, label: user == nil ? guest : nil, deviceIds: found.map(\.id),
                operations: ["LOCK", "UNLOCK"],
                validFrom: begin.description, validUntil: end.description))
        let names = GuestNames(
            locks: Dictionary(found.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
            people: user.map { [$0.id: $0.name] } ?? [:])
        let view = GuestAccessView(answer.content.guestAccess, names: names, now: now)
        output.print(json: answer.json) { style in
            style.isForPerson ? Self.sentences(view, style) : Table("", rows: [view.row(style)]).lines(style)
        }
    }

    private static func sentences(_ view: GuestAccessView, _ style: Style) -> [String] {
        let access = view.access
        return [
            "\(view.guest.printable) may \(view.operations) \(view.locks.printable)",
            "  from  \(view.window(access.validFrom, style))", "  until \(view.window(access.validUntil, style))",
            "`doorward revoke \(access.id.printable)` ends it.",
        ]
    }
}
