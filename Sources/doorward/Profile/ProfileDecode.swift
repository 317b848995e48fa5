import AdapterMQTT
import ArgumentParser
import DoorwardDomain
import DoorwardMQTT
import FoundationEssentials

/// `doorward profile decode`: decodes messages of a lock.
struct ProfileDecode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode a message of a lock.",
        discussion: """
            Prints one JSON object: changes of the lock's known state (reports), events (events), the response to the command in \
            flight (command), anomalies (diagnostics), and state requests to send (publish).

            With MESSAGES it reads the output of mosquitto_sub, with `-F %j` or with `-v`, and prints an object with the topic \
            for each line as it arrives. The known state of the lock is kept from line to line, and a command among the messages \
            is in flight from then on. Only `%j` marks retained messages.

            A payload that begins with a dash needs the equals sign: --payload=--.

            Example: doorward profile decode nuki-native --address id=398172F4 --topic nuki/398172F4/state --payload 2

            Example: mosquitto_sub -F %j -t 'nuki/#' | doorward profile decode nuki-native - --address id=398172F4
            """)

    @OptionGroup var named: NamedProfile

    @Argument(
        help: ArgumentHelp("A file with the output of mosquitto_sub, - for standard input.", valueName: "messages"),
        completion: .file())
    var messages: String?

    @OptionGroup var lock: AddressOptions

    @Option(help: ArgumentHelp("The topic of the message.", valueName: "topic"))
    var topic: String?

    @Option(help: ArgumentHelp("The payload of the message.", valueName: "text"))
    var payload: String?

    @Option(help: ArgumentHelp("A file with the payload, - for standard input.", valueName: "file"), completion: .file())
    var payloadFile: String?

    @Flag(help: "Decode it as a retained message.")
    var retained = false

    @Option(help: ArgumentHelp("The lock's state before: locked, unlocked, open, jammed, …", valueName: "state"))
    var prev: PreviousState?

    @Option(help: ArgumentHelp("The command in flight: lock, unlock or open.", valueName: "operation"))
    var inFlight: MovementArgument?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard messages == nil else {
            guard topic == nil, payload == nil, payloadFile == nil else {
                throw ValidationError("The lines contain topics and payloads: leave --topic and --payload out.")
            }
            return
        }
        guard let topic else {
            throw ValidationError("Give one message with --topic and --payload, or - to read what mosquitto_sub prints.")
        }
        guard (payload == nil) != (payloadFile == nil) else {
            throw ValidationError("Give the payload of the message with either --payload or --payload-file.")
        }
        guard MQTTTopic(topic) != nil else {
            throw ValidationError(
                "--topic must be the topic of the message: not empty, without +, # and control characters, and "
                    + "does not begin with $.")
        }
    }

    func run() throws {
        var decoder = MessageStreamDecoder(try lock.dialect(of: named.read()), prev: prev?.position, isStream: messages != nil)
        if let inFlight { try decoder.begin(inFlight.operation) }
        if let messages { return try decode(messages, &decoder) }
        let bytes = try payload.map { Array($0.utf8) } ?? InputFile.bytes(payloadFile ?? "-")
        output.print(decoder.receive(MQTTMessage(topic: topic ?? "", payload: bytes, isRetained: retained)).object())
    }

    private func decode(_ path: String, _ decoder: inout MessageStreamDecoder) throws {
        var file = try InputFile(path)
        try file.forEachLine { bytes, number in
            let line = MessageLine(bytes, isRetained: retained) { decoder.dialect.usesTopic($0) }
            guard let message = line?.message else {
                throw CommandFailure(
                    "line \(number) is not a message in the format of `mosquitto_sub`: with -F %j an object, with -v `TOPIC PAYLOAD`"
                )
            }
            output.print(decoder.receive(message).object(on: message.topic))
        }
    }
}

/// Decodes messages one after the other, and keeps the lock's state between them.
struct MessageStreamDecoder {
    let dialect: Dialect
    private var memory = DialectState()

    /// - Parameters:
    ///   - prev: the state before the messages; unknown by default.
    ///   - isStream: whether there are several messages. If so, and if `prev` is `nil`, the state
    ///     is stale until a message reports a state, as in the gateway.
    init(_ dialect: Dialect, prev: BoltState?, isStream: Bool) {
        self.dialect = dialect
        memory.position = prev ?? .unknown
        memory.quality = isStream && prev == nil ? .stale : .confirmed
    }

    /// Records a command in flight without a reference, so that any response is matched with it.
    ///
    /// - Throws: a `CommandFailure` if the lock does not support the operation.
    mutating func begin(_ operation: LockOperation) throws(CommandFailure) {
        guard (try? dialect.encodeCommand(operation, code: nil, reference: "", &memory)) != nil else {
            throw CommandFailure("a lock of this profile and address has no such command, so it cannot be in flight", code: 2)
        }
        memory.inFlight?.reference = nil
    }

    mutating func receive(_ message: MQTTMessage) -> DecodedMessage {
        var questions: [OutgoingMessage] = []
        if let (operation, reference) = dialect.command(in: message) {
            questions = (try? dialect.encodeCommand(operation, code: nil, reference: reference, &memory).stateRequests) ?? []
        }
        var heard = dialect.decode(message, &memory)
        heard.publish += questions.filter { !heard.publish.contains($0) }
        switch heard.command {
        case .confirmed, .rejected: dialect.completeCommand(&memory)
        case .accepted, nil: break
        }
        return heard
    }
}

/// A state of the bolt, as named in profiles.
struct PreviousState: ExpressibleByArgument {
    let position: BoltState

    init?(argument: String) {
        guard let position = BoltState(rawValue: argument.lowercased()) else { return nil }
        self.position = position
    }

    static let allValueStrings = BoltState.allCases.map(\.rawValue)
}

/// A line printed by `mosquitto_sub`: with `-F %j` a JSON object, with `-v` a topic, a space and the payload.
struct MessageLine {
    let message: MQTTMessage

    /// - Parameters:
    ///   - isRetained: the retain flag of a line that does not contain one.
    ///   - isKnown: whether the lock publishes on a topic. Topics can contain spaces, so only this
    ///     closure determines where the topic ends.
    /// - Returns: `nil` for a line of neither format.
    init?(_ line: [UInt8], isRetained: Bool, isKnown: (String) -> Bool) {
        if line.first == UInt8(ascii: "{"), let object = try? JSONDecoder().decode(Object.self, from: Data(line)) {
            message = MQTTMessage(
                topic: object.topic, payload: Array((object.payload ?? "").utf8),
                isRetained: object.retain.map { $0 != 0 } ?? isRetained)
        } else {
            guard let (topic, payload) = Self.parts(line, isKnown) else { return nil }
            message = MQTTMessage(topic: topic, payload: payload, isRetained: isRetained)
        }
        guard MQTTTopic(message.topic) != nil else { return nil }
    }

    private struct Object: Decodable {
        let topic: String
        let payload: String?
        let retain: Int?
    }

    /// MQTT's limit on the length of a topic, in bytes.
    private static let maxTopicBytes = 65_535
    /// The text that `mosquitto_sub` prints for an empty payload.
    private static let nothing = Array("(null)".utf8)

    /// - Returns: the topic and the payload. The topic is the longest prefix that is a topic of the
    ///   lock, or else the text before the first space.
    private static func parts(_ line: [UInt8], _ isKnown: (String) -> Bool) -> (topic: String, payload: [UInt8])? {
        let spaces = line.prefix(maxTopicBytes + 1).indices.filter { line[$0] == UInt8(ascii: " ") }
        // Check only the first 64 spaces for the end of the topic: a payload may contain any number of spaces.
        let candidates = spaces.prefix(64).compactMap { end in
            String(validating: line[..<end], as: UTF8.self).map { (topic: $0, end: end) }
        }
        guard let found = candidates.last(where: { isKnown($0.topic) }) ?? candidates.first else { return nil }
        let payload = Array(line[(found.end + 1)...])
        return (found.topic, payload == nothing ? [] : payload)
    }
}

extension DecodedMessage {
    /// The message as `doorward profile decode` prints it.
    ///
    /// - Parameter topic: the message's topic, if it is one of several messages.
    func object(on topic: String? = nil) -> JSONObjectText {
        [
            "topic": topic, "reports": reports.map(\.object), "events": events.map(\.object),
            "command": command?.object ?? JSONNull(), "diagnostics": diagnostics.map(\.description),
            "publish": publish.map(\.object),
        ]
    }
}

extension OutgoingMessage {
    /// The message as JSON, with its payload as text. It is never retained.
    var object: JSONObjectText {
        [
            "topic": topic.description, "payload": String(decoding: payload, as: UTF8.self), "qos": Int(qos.rawValue),
            "retain": false,
        ]
    }
}

extension DecodedMessage.Report {
    fileprivate var object: JSONObjectText {
        let online: (any JSONText)? =
            switch availability {
            case .online?: true
            case .offline?: false
            case .unknown?: JSONNull()
            case nil: nil
            }
        return [
            "state": position?.rawValue, "quality": quality?.rawValue.lowercased(), "online": online, "door": door?.rawValue,
            "battery": battery, "batteryLow": isBatteryLow, "faults": faults?.sorted().map(\.rawValue),
        ]
    }
}

extension LockEvent {
    fileprivate var object: JSONObjectText {
        [
            "type": kind.rawValue, "operation": operation?.rawValue, "ok": isDone, "method": method?.rawValue,
            "userSlot": userSlot, "credentialId": credentialID, "authId": authorisationID, "reason": rejection?.rawValue,
        ]
    }
}

extension CommandResponse {
    fileprivate var object: JSONObjectText {
        switch self {
        case .accepted: ["state": "accepted"]
        case .confirmed: ["state": "confirmed"]
        case .rejected(let reason): ["state": "rejected", "reason": reason.rawValue]
        }
    }
}
