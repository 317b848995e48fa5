import AdapterSimulator
import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward lock`.
struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lock a lock, and wait until it confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward lock \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws { try await movement.run(.lock, "Locking", "locked") }
}

/// `doorward unlock`.
struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unlock a lock, and wait until it confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward unlock \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws { try await movement.run(.unlock, "Unlocking", "unlocked") }
}

/// `doorward unlatch`.
struct Unlatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pull the latch so that the door can be opened, and wait until the lock confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward unlatch \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws { try await movement.run(.unlatch, "Unlatching", "unlatched") }
}

/// The arguments and options that `lock`, `unlock` and `unlatch` share.
struct LockCommandOptions: ParsableArguments {
    static let discussion = """
        Waits until the lock confirms. If it does not confirm in time, the command fails with exit code 1. Ctrl-C stops waiting; it does \
        not cancel a command that was sent.

        LOCK is an id, or a name that is unique among the locks that you may see.
        """

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Option(help: ArgumentHelp("The reason, for the log.", valueName: "reason"))
    var reason: String?

    @Option(help: ArgumentHelp("Override a lockdown, if your role may, with this reason for the log.", valueName: "reason"))
    var override: String?

    @Option(
        help: ArgumentHelp(
            "Maximum total seconds, from 0.1 to 60; nothing is sent to the lock after that. (default: the gateway's, 10)",
            valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if let timeout, !(0.1...60).contains(timeout) { throw ValidationError("--timeout takes from 0.1 to 60 seconds.") }
    }

    /// Sends the command, and prints its outcome.
    ///
    /// - Parameters:
    ///   - action: `lock`, `unlock` or `unlatch`.
    ///   - doing: the verb of the progress line, such as `Unlocking`.
    ///   - done: the resulting state, as a word.
    func run(_ action: Doorward.Action, _ doing: String, _ done: String) async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        let parameters = Doorward.CommandParameters(
            reason: reason, override: override, timeoutMs: timeout.map { Int(($0 * 1000).rounded()) })
        let id = lock.id.printable
        let hint = "  its state: doorward status \(id)\n  what became of it: doorward log \(id)"
        let answer = try await withInterrupt {
            try await Progress("\(doing) \(lock.name)").during {
                do {
                    return try await namingOptions(["reason": "--reason", "override": "--override", "timeoutMs": "--timeout"]) {
                        try await client.devices.move(action, lock.id, parameters)
                    }
                } catch ClientError.noResponse(let server, let why) {
                    let unknown = "whether the lock has moved is not known"
                    throw CommandFailure("no answer from \(server): \(why)\n  \(unknown)\n\(hint)", code: 3)
                }
            }
        }
        guard let answer else { throw CommandFailure("stopped waiting; the command may still be carried out\n\(hint)") }
        output.print(json: answer.json) { Self.lines(answer.content, lock, done, $0) }
    }

    private static func lines(
        _ answer: Doorward.EndedCommand, _ lock: NameMatch, _ done: String, _ style: OutputStyle
    ) -> [String] {
        let name = (answer.device?.name ?? lock.name).printable
        let state = answer.command.stateAfter ?? answer.device?.state
        let word = state.map(DisplayText.word) ?? done
        guard style.isInteractive else { return ["\(name)\t\(word)"] }
        let colour = state.flatMap(LockView.colour)
        return ["\(name) is \(style.paint(word, colour))\(answer.command.changed == false ? ", as it was already" : "")."]
    }
}

/// An operation is typed as `unlock`, `view-status` or `VIEW_STATUS`.
extension LockOperation: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(rawValue: argument.uppercased().replacing("-", with: "_").replacing(" ", with: "_"))
    }

    public static var allValueStrings: [String] {
        allCases.map { $0.rawValue.lowercased().replacing("_", with: "-") }
    }

    public static var defaultCompletionKind: CompletionKind { .default }

    /// The list of the allowed values, for help texts.
    static var help: String { allValueStrings.joined(separator: ", ") }

    /// The operation as the client library names it.
    var action: Doorward.Action { Doorward.Action(rawValue: rawValue) }
}

/// `doorward simulate`: triggers an event at a simulated lock.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trigger an event at a simulated lock.",
        discussion: """
            Example: doorward simulate "Front door" jam

            EVENT is one of:
            \(events)
            """)

    /// Each event on its own line, with its description.
    private static var events: String {
        let width = SimulatorEvent.allCases.map(\.rawValue.displayWidth).max() ?? 0
        return SimulatorEvent.allCases.map { "  \($0.rawValue.padded(to: width))  \($0.summary)" }.joined(separator: "\n")
    }

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Argument(
        help: ArgumentHelp("The event to trigger.", valueName: "event"),
        completion: .list(SimulatorEvent.allCases.map(\.rawValue)))
    var event: String

    @OptionGroup var output: AnswerOptions

    /// The event's API name: hyphens are accepted in place of underscores.
    private var word: String { event.replacing("-", with: "_") }

    func validate() throws {
        let words = SimulatorEvent.allCases.map(\.rawValue)
        guard !words.contains(word) else { return }
        let hint = nearestName(to: word, among: words).map { " Did you mean `\($0)`?" } ?? ""
        throw ValidationError("`\(event.printable)` is not an event.\(hint) There are: \(words.joined(separator: ", ")).")
    }

    func run() async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        let answer = try await client.trigger(word, on: lock.id)
        let device = answer.content
        output.print(json: answer.json) { style in
            let view = LockView(device)
            guard style.isInteractive else { return Table("", "", rows: [[Table.Cell(device.name), view.state]]).lines(style) }
            return ["\(device.name.printable) is \(style.paint(view.state.text, view.state.colour))."]
        }
    }
}
