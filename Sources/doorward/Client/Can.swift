import ArgumentParser
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// What the commands `can` and `who-can` ask about: an operation on a lock, now or later.
struct LockQuestion: ParsableArguments {
    @Argument(help: ArgumentHelp("The operation, such as unlock.", valueName: "operation"))
    var operation: LockOperation

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time, now or later; up to a minute ago counts as now. (default: now)", valueName: "time"))
    var at: String?

    /// - Throws: a usage error for a text that is not a time.
    func instant(now: Timestamp) throws -> String? {
        try at.map { try TimeArgument($0, option: "--at").instant(now: now).description }
    }

    /// The arguments and options that set the fields of the request.
    static let options: [String: FieldOption] = ["at": "--at", "userId": "the person", "deviceId": "the lock"]
}

/// `doorward can`: decides whether a person may do something to a lock, without doing it.
struct Can: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether a person may do something to a lock, and why. Nothing is done.",
        discussion: """
            USER is `me`, an email address, an id or a name. To ask about another person you need to be able to grant access to the \
            lock. LOCK is a name or id. OPERATION is one of \(LockOperation.help).

            --at asks about a later time: the answer assumes that the rights stay as they are now. \(TimeArgument.help)

            The exit code is 0 if it is allowed, and 1 if it is denied. If the question could not be answered, it is 1 too, and \
            nothing is printed on standard output.

            Example: doorward can "Gus Example" unlock Cellar --at "tomorrow 9:00"
            """)

    @Argument(help: ArgumentHelp("The person: `me`, an email address, an id or a name.", valueName: "user"))
    var user: String

    @OptionGroup var question: LockQuestion
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let instant = try question.instant(now: SystemClock().now())
        let (client, lock) = try await question.lock.find(at: output.gateway)
        let person = try await NameResolver(client).askedPerson(user, on: lock.id)
        let answer = try await namingOptions(LockQuestion.options) {
            try await client.decide(question.operation.action, on: lock.id, by: person?.id, at: instant)
        }
        output.print(json: answer.json) { [answer.content.sentence(person: person?.name, lock: lock.name, $0)] }
        if !answer.content.allowed { throw ExitCode.failure }
    }
}

/// `doorward who-can`: lists everyone who may do something to a lock.
struct WhoCan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who-can",
        abstract: "List everyone who may do something to a lock, and by which right.",
        discussion: """
            You need to be able to read the lock's access log. Tenants see their co-tenants and guests by name, and others as staff. \
            LOCK is a name or id. OPERATION is one of \(LockOperation.help).

            --at asks about a later time: the answer assumes that the rights stay as they are now. \(TimeArgument.help)

            Example: doorward who-can unlock "Front door"
            """)

    @OptionGroup var question: LockQuestion
    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let now = SystemClock().now()
        let instant = try question.instant(now: now)
        let (client, lock) = try await question.lock.find(at: output.gateway)
        let entries = try await namingOptions(LockQuestion.options) {
            try await client.whoCan(question.operation.action, on: lock.id, at: instant).all()
        }
        let empty = "Nobody may \(question.operation.action.verb) \(lock.name.printable)."
        output.print(json: entries.json) {
            let style = table.style($0)
            return Self.table(entries.content, style, now: now).lines(style, empty: empty)
        }
    }

    static func table(_ entries: [Doorward.PermittedPrincipal], _ style: OutputStyle, now: Timestamp) -> Table {
        Table(
            entries,
            [
                Column("WHO", .cut(to: 8)) { Table.Cell($0.principal.name) },
                Column("KIND") { Table.Cell(DisplayText.word($0.principal.kind)) },
                Column("ROLE", .cut(to: 8)) { Table.Cell($0.rule.role.map(DisplayText.word)) },
                Column("UNTIL") { style.cell($0.until, now: now) }, Column("ID", .id) { Table.Cell($0.principal.id, .dim) },
            ])
    }
}

extension Doorward.Decision {
    /// The decision as one sentence: the answer, the reason of a denial, and what would have to change.
    ///
    /// For example `Gus may not unlock Cellar: outside the hours of the guest access; opens Mon 2026-11-23 09:00 (CET)`.
    ///
    /// - Parameter person: the name of the person; `nil` for the caller.
    func sentence(person: String?, lock: String, _ style: OutputStyle) -> String {
        let time = assumes == nil ? "" : " at \(style.zonedInstant(at))"
        let may = "\(person?.printable ?? "You") may\(allowed ? "" : " not") \(operation.verb)"
        let details = allowed ? [rule.map(Self.basis)] : [reason.map(DisplayText.reason), remedy(style)]
        let tail = details.compactMap(\.self).joined(separator: "; ")
        let assumption = assumes == "current_rules" ? " (if the rights do not change until then)" : ""
        return "\(may) \(lock.printable)\(time)\(tail.isEmpty ? "" : ": \(tail)")\(assumption)"
    }

    /// What would have to change for the operation to be allowed.
    private func remedy(_ style: OutputStyle) -> String? {
        switch reason?.rawValue {
        case "no_association": "needs a role or a guest access for this lock"
        case "role_insufficient": missing?.role.map { "needs the role \(DisplayText.word($0)) or a higher one" }
        case "operation_not_granted": "needs a guest access that includes \(DisplayText.word(operation))"
        case "guest_window_ended":
            "\(closesAt.map { "ended \(style.zonedInstant($0)); " } ?? "")needs a new guest access"
        case "guest_window_not_started", "outside_schedule": opensAt.map { "opens \(style.zonedInstant($0))" }
        case "guest_access_revoked", "grantor_lost_access", "guest_uses_exhausted": "needs a new guest access"
        case "feature_unavailable": missing?.module.map { "needs \($0.rawValue.printable) in the subscription" }
        case "capability_missing": missing?.capability.map { "the lock has no \(DisplayText.word($0))" }
        case "remote_operation_disabled": "a manager of the property can turn it on"
        case "lockdown_active": "an owner or portfolio admin can still open with --override, and lifting the lockdown ends it"
        case "user_disabled": "a super admin can enable the account"
        case "device_unassigned": "a super admin can attach it to a property"
        case "clock_untrusted": "a super admin can confirm the clock"
        default: nil
        }
    }

    /// A rule in words: `as owner`, or `by a guest access`.
    static func basis(_ rule: Doorward.Rule) -> String {
        switch (rule.kind, rule.role) {
        case ("GUEST_ACCESS", _): "by a guest access"
        case (_, let role?): "as \(DisplayText.word(role))"
        case (_, nil): "by a role"
        }
    }

}

extension Doorward.Action {
    /// The operation as a verb that the name of a lock can follow.
    var verb: String {
        switch self {
        case "VIEW_STATUS": "see the status of"
        case "CHANGE_SETTINGS": "change the settings of"
        case "VIEW_ACCESS_HISTORY": "read the access log of"
        case "GRANT_ACCESS": "grant access to"
        case "LOCKDOWN": "lock down the property of"
        default: DisplayText.word(self)
        }
    }
}
