import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// What `lock`, `unlock` and `unlatch` have in common.
struct LockCommandOptions: ParsableArguments {
    static let discussion = """
        Waits until the lock itself has confirmed, and says so; a lock that does not confirm in time is a failure, with exit \
        code 1. Ctrl-C ends the waiting, not the command.

        LOCK is an id, or a name that only one of the locks that you may see bears.
        """

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Option(help: ArgumentHelp("Why, for the log.", valueName: "reason"))
    var reason: String?

    @Option(
        help: ArgumentHelp("Break a lockdown, if your role may, and say in the log why.", valueName: "reason"))
    var override: String?

    @Option(
        help: ArgumentHelp(
            "Seconds that it may take in all, from 0.1 to 60; nothing is sent to the lock after them. (default: the gateway's, 10)",
            valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        guard let timeout else { return }
        guard timeout >= 0.1, timeout <= 60 else { throw ValidationError("--timeout takes from 0.1 to 60 seconds.") }
    }

    typealias Move = @Sendable (Devices, String, Wire.CommandOrder) async throws -> Response<Wire.CommandAnswer>

    /// Moves the lock, and prints what has become of it.
    ///
    /// - Parameters:
    ///   - doing: what is being done, for the line of progress: `Unlocking`.
    ///   - done: the state that it leads to, as a word.
    func run(_ doing: String, _ done: String, _ move: @escaping Move) async throws {
        let client = try gateway.client()
        let lock = try await NameResolver(client).lock(lock)
        let order = Wire.CommandOrder(
            reason: reason, override: override, timeoutMs: timeout.map { Int(($0 * 1000).rounded()) })
        let answer = try await Interruption.withInterrupt {
            try await Progress("\(doing) \(lock.name)").during {
                try await Self.addingHint(lock) {
                    try await namingOptions(Self.option) { try await move(client.devices, lock.id, order) }
                }
            }
        }
        guard let answer else {
            throw CommandFailure("stopped waiting; the command may still be carried out\n\(Self.hint(lock))")
        }
        output.print(json: answer.json) { Self.lines(answer.content, lock, done, $0) }
    }

    /// What the command line calls a field of the request.
    private static func option(_ field: String) -> FieldOption? {
        switch field {
        case "reason": FieldOption("--reason")
        case "override", "override.reason": FieldOption("--override")
        case "timeoutMs": FieldOption("--timeout")
        default: nil
        }
    }

    static func lines(_ answer: Wire.CommandAnswer, _ lock: NameResolver.FoundLock, _ done: String, _ style: OutputStyle)
        -> [String]
    {
        let name = (answer.device?.name ?? lock.name).printable
        let state = answer.command.stateAfter ?? answer.device?.state
        let word = state.map(DisplayText.word) ?? done
        guard style.isInteractive else { return ["\(name)\t\(word)"] }
        let colour = state.flatMap(LockView.colour)
        return ["\(name) is \(style.paint(word, colour))\(answer.command.changed == false ? ", as it was already" : "")."]
    }

    /// Adds to an answer that did not come how to learn what has happened.
    private static func addingHint<Result>(_ lock: NameResolver.FoundLock, _ body: () async throws -> Result) async throws
        -> Result
    {
        do {
            return try await body()
        } catch ClientError.noAnswer(let server, let why) {
            throw CommandFailure(
                "no answer from \(server): \(why)\n  whether the lock has moved is not known\n\(hint(lock))", code: 3)
        }
    }

    private static func hint(_ lock: NameResolver.FoundLock) -> String {
        "  its state: doorward status \(lock.id.printable)\n  what became of it: doorward log \(lock.id.printable)"
    }
}
