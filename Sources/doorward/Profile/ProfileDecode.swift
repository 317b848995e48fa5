import AdapterMQTT
import ArgumentParser
import DoorwardDomain
import DoorwardMQTT

/// `doorward profile decode`: what one message of a lock means.
struct ProfileDecode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Tell what a lock's message means.",
        discussion: """
            Prints one JSON object: what is known anew of the lock (reports), what has happened (events), what it says of the \
            command under way (command), what was odd (diagnostics), and what is asked in turn (publish).

            A payload that begins with a dash needs the equals sign: --payload=--.

            Example: doorward profile decode nuki-native --address id=398172F4 --topic nuki/398172F4/state --payload 2
            """)

    @OptionGroup var named: NamedProfile
    @OptionGroup var lock: LockAddress

    @Option(help: ArgumentHelp("The topic that the message came on.", valueName: "topic"))
    var topic: String

    @Option(help: ArgumentHelp("What it says.", valueName: "text"))
    var payload: String?

    @Option(help: ArgumentHelp("A file with what it says, - for standard input.", valueName: "file"), completion: .file())
    var payloadFile: String?

    @Flag(help: "Take it as one that the broker had kept.")
    var retained = false

    @Option(help: ArgumentHelp("The lock's state before: locked, unlocked, open, jammed, …", valueName: "state"))
    var prev: PreviousState?

    @Option(help: ArgumentHelp("A command that is under way: lock, unlock or open.", valueName: "operation"))
    var inFlight: MovementArgument?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (payload == nil) != (payloadFile == nil) else {
            throw ValidationError("Give what the message says with either --payload or --payload-file.")
        }
        guard MQTTTopic(topic) != nil else {
            throw ValidationError(
                "--topic is the one topic that the message came on: it is not empty, holds no +, # or control character, and "
                    + "does not begin with $.")
        }
    }

    func run() throws {
        let dialect = try lock.dialect(of: named.read())
        var memory = LockMemory()
        // What is not said is taken as told live: then what the message itself says is what is seen.
        (memory.position, memory.quality) = (prev?.position ?? .unknown, .confirmed)
        if let inFlight { try begin(inFlight.operation, dialect, &memory) }
        let bytes = try payload.map { Array($0.utf8) } ?? BytesFile(path: payloadFile ?? "-").read()
        let heard = dialect.hear(MQTTMessage(topic: topic, payload: bytes, isRetained: retained), &memory)
        let text = HeardView(heard).json.text
        output.print(json: Array(text.utf8)) { _ in [text] }
    }

    /// Notes a command of which nobody knows the reference, so that any answer is taken as its own.
    private func begin(_ operation: LockOperation, _ dialect: Dialect, _ memory: inout LockMemory) throws {
        do {
            _ = try dialect.order(operation, code: nil, reference: "", &memory)
        } catch {
            throw CommandFailure("a lock of this profile and address cannot do that, so it cannot be under way", code: 2)
        }
        memory.underWay?.reference = nil
    }
}

/// A state in the words of profiles.
struct PreviousState: ExpressibleByArgument {
    let position: Position

    init?(argument: String) {
        guard let position = Position(rawValue: argument.lowercased()) else { return nil }
        self.position = position
    }

    static let allValueStrings = Position.allCases.map(\.rawValue)
}
