import AdapterMQTT
import ArgumentParser
import DoorwardDomain

/// `doorward profile encode`: prints the message of one command.
struct ProfileEncode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Print the message that would be sent to move a lock.",
        discussion: """
            Prints the message as one JSON object; nothing is sent. If you give a code, the output contains it.

            Example: doorward profile encode zigbee2mqtt --address name=front unlock
            """)

    @OptionGroup var named: NamedProfile

    @Argument(help: ArgumentHelp("The operation: lock, unlock or open.", valueName: "operation"))
    var operation: MovementArgument

    @OptionGroup var lock: LockAddress

    @Option(
        help: ArgumentHelp("A file with the code to send, - for standard input.", valueName: "file"), completion: .file())
    var codeFile: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let dialect = try lock.dialect(of: named.read())
        let code = try codeFile.map { try Self.code(in: $0) }
        var memory = DialectState()
        do {
            let frame = try dialect.encodeCommand(operation.operation, code: code, reference: "example", &memory).command
            let text = DecodedMessageView.frame(frame).text
            output.print(json: Array(text.utf8)) { _ in [text] }
        } catch {
            let what = code == nil ? "cannot do that" : "cannot do that, or takes no code"
            throw CommandFailure("a lock of this profile and address \(what); `doorward profile show` lists its operations")
        }
    }

    private static func code(in path: String) throws(CommandFailure) -> Secret<String> {
        let bytes = try BytesFile(path: path).read()
        let text = String(validating: bytes, as: UTF8.self)?.split(separator: "\n", omittingEmptySubsequences: false).first
        guard let text, (1...64).contains(text.count), text.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else {
            throw CommandFailure("the first line of the file must be the code: 1 to 64 letters or digits")
        }
        return Secret(String(text))
    }
}

/// A JSON object whose fields keep the order in which they are added.
struct JSONObjectText {
    private var fields: [String] = []

    /// The object, on one line.
    var text: String { "{\(fields.joined(separator: ","))}" }

    /// Adds a field, unless its value is `nil`.
    mutating func add(_ key: String, _ value: String?) { value.map { add(key, json: Self.quoted($0)) } }
    mutating func add(_ key: String, _ value: Int?) { value.map { add(key, json: "\($0)") } }
    mutating func add(_ key: String, _ value: Bool?) { value.map { add(key, json: "\($0)") } }
    mutating func add(_ key: String, _ values: [String]) { add(key, json: "[\(values.map(Self.quoted).joined(separator: ","))]") }
    mutating func add(_ key: String, _ objects: [JSONObjectText]) {
        add(key, json: "[\(objects.map(\.text).joined(separator: ","))]")
    }
    mutating func add(_ key: String, json: String) { fields.append("\(Self.quoted(key)):\(json)") }

    private static func quoted(_ text: String) -> String { "\"\(text.escapedAsJSON)\"" }
}
