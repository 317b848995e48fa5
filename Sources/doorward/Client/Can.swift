import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain

/// `doorward can`: decides whether a person may do something to a lock, without doing it.
struct Can: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether a person may do something to a lock, and why. Nothing is done.",
        discussion: """
            USER is `me`, an email address, an id or a name. To ask about another person you need to be able to grant access to the \
            lock. LOCK is a name or id. OPERATION is one of \(OperationArgument.help).

            --at asks about a later time: the answer assumes that the rights stay as they are now. \(TimeArgument.help)

            The exit code is 0 if it is allowed, and 1 if it is denied. If the question could not be answered, it is 1 too, and \
            nothing is printed on standard output.

            Example: doorward can "Gus Example" unlock Cellar --at "tomorrow 9:00"
            """)

    @Argument(help: ArgumentHelp("The person: `me`, an email address, an id or a name.", valueName: "user"))
    var user: String

    @Argument(help: ArgumentHelp("What the person would do, such as unlock.", valueName: "operation"))
    var operation: OperationArgument

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time, now or later; up to a minute ago counts as now. (default: now)", valueName: "time"))
    var at: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let instant = try at.map { try TimeArgument($0, option: "--at").instant(now: SystemClock().now()) }
        let client = try gateway.client()
        let finder = NameResolver(client)
        let lock = try await finder.lock(self.lock)
        let person = try await finder.askedPerson(user, on: lock.id)
        let request = Wire.AuthorizationRequest(
            deviceId: lock.id, operation: operation.operation.rawValue, userId: person?.id, at: instant?.description)
        let answer = try await namingOptions(Self.option) { try await client.authorization.decide(request) }
        let decision = answer.content.decision
        let view = DecisionView(decision: decision, person: person?.name, lock: lock.name)
        output.print(json: answer.json) { [view.sentence($0)] }
        if !decision.allowed { throw ExitCode.failure }
    }

    /// Maps a field of the request to its command-line option.
    static func option(_ field: String) -> FieldOption? {
        switch field {
        case "at": FieldOption("--at")
        case "userId": FieldOption("the person")
        case "deviceId": FieldOption("the lock")
        default: nil
        }
    }
}
