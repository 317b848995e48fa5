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

    @OptionGroup var lock: AddressOptions

    @Option(help: ArgumentHelp("A file with the code to send, - for standard input.", valueName: "file"), completion: .file())
    var codeFile: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let dialect = try lock.dialect(of: named.read())
        let code = try codeFile.map { try Self.code(in: $0) }
        var memory = DialectState()
        do {
            let frame = try dialect.encodeCommand(operation.operation, code: code, reference: "example", &memory).command
            output.print(frame.object)
        } catch {
            let what = code == nil ? "cannot do that" : "cannot do that, or takes no code"
            throw CommandFailure("a lock of this profile and address \(what); `doorward profile show` lists its operations")
        }
    }

    private static func code(in path: String) throws(CommandFailure) -> Secret<String> {
        let bytes = try InputFile.bytes(path)
        let text = String(validating: bytes, as: UTF8.self)?.split(separator: "\n", omittingEmptySubsequences: false).first
        guard let text, (1...64).contains(text.count), text.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else {
            throw CommandFailure("the first line of the file must be the code: 1 to 64 letters or digits")
        }
        return Secret(String(text))
    }
}

/// A JSON object whose fields keep their order; a field without a value is left out.
struct JSONObjectText: JSONText, ExpressibleByDictionaryLiteral {
    /// The object, on one line.
    let json: String

    init(dictionaryLiteral fields: (String, (any JSONText)?)...) {
        let texts = fields.compactMap { key, value in value.map { "\(key.json):\($0.json)" } }
        json = "{\(texts.joined(separator: ","))}"
    }
}

extension OutputOptions {
    /// Prints an object as one JSON document, or lines in its place without `--json`.
    func print(_ object: JSONObjectText, lines: ((OutputStyle) -> [String])? = nil) {
        print(json: Array(object.json.utf8)) { lines?($0) ?? [object.json] }
    }
}

/// A value that can be a field of a `JSONObjectText`.
protocol JSONText {
    /// The value as JSON, on one line.
    var json: String { get }
}

extension String: JSONText {
    var json: String { "\"\(escapedAsJSON)\"" }
}

extension Bool: JSONText {
    var json: String { description }
}

extension Int: JSONText {
    var json: String { description }
}

extension Double: JSONText {
    /// Whole numbers are written without a fraction.
    var json: String { Int(exactly: self).map(\.description) ?? description }
}

extension Array: JSONText where Element: JSONText {
    var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

/// `null`.
struct JSONNull: JSONText {
    let json = "null"
}
