import ArgumentParser
import DoorwardClient
import FoundationEssentials

/// `doorward api`: calls any endpoint of the HTTP API with the current sign-in.
struct API: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Call the HTTP API.",
        discussion: """
            Prints the `data` of the JSON response, or the whole response if it has no `data`. A response that is not JSON is \
            printed unchanged. Errors are reported as by every command, with exit code 1.

            PATH is a path of the API, with or without /api/v1. KEY=VALUE is added to the query of a GET, and to the JSON body \
            of any other method. In the body, a value that is valid JSON (a number, true, a list) is sent as JSON, any other as \
            text. With --input the body comes from a file, and KEY=VALUE goes to the query.

            A POST has a new Idempotency-Key, unless --header contains one. The request is sent once.

            Examples:
              doorward api GET devices propertyId=ID limit=5
              doorward api POST properties name="Quay 1" portfolioId=ID defaultTimeZone=Europe/Berlin
              doorward api PUT properties/ID name="Quay 2" --header 'If-Match: "TAG"'
              doorward api POST users --input user.json --include
            """)

    /// The methods that this program can send; the gateway decides which of them a path supports.
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    @Argument(help: ArgumentHelp("GET, HEAD, POST, PUT, PATCH or DELETE.", valueName: "method"), completion: .list(methods))
    var method: String

    @Argument(help: ArgumentHelp("The path, optionally with a query.", valueName: "path"))
    var path: String

    @Argument(help: ArgumentHelp("Parts of the query or of the body.", valueName: "key=value"))
    var fields: [RequestField] = []

    @Option(help: ArgumentHelp("Send this file as the body; - for standard input.", valueName: "file"), completion: .file())
    var input: String?

    @Option(help: ArgumentHelp("Send a header, as in 'If-Match: \"TAG\"'; the option can be repeated.", valueName: "header"))
    var header: [HeaderArgument] = []

    @Flag(help: "Print the status and the headers first, then the whole response, also for an error.")
    var include = false

    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        guard Self.methods.contains(method.uppercased()) else {
            throw ValidationError("`\(method.printable)` is not a method. There are: \(Self.methods.joined(separator: ", ")).")
        }
        if let problem = APIPath.problem(with: path) { throw ValidationError("`\(path.printable)` is not a path: \(problem).") }
        if !goesToQuery, let twice = Dictionary(grouping: fields, by: \.key).first(where: { $1.count > 1 })?.key {
            throw ValidationError("The body has two values for `\(twice.printable)`.")
        }
        let names = header.map { $0.name.lowercased() }
        if let twice = Dictionary(grouping: names, by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("There are two headers `\(twice)`.")
        }
        if isReading, input != nil { throw ValidationError("A \(method.uppercased()) has no body: leave out --input.") }
    }

    private var isReading: Bool { ["GET", "HEAD"].contains(method.uppercased()) }
    private var goesToQuery: Bool { isReading || input != nil }

    func run() async throws {
        let client = try gateway.client()
        let method = method.uppercased()
        var body: [UInt8]?
        if let input {
            body = try InputFile.bytes(input)
        } else if !goesToQuery, !fields.isEmpty {
            body = try Doorward.JSONValue.object(Dictionary(fields.map { ($0.key, $0.value) }) { first, _ in first })
                .sortedJSON()
        }
        let response = try await client.open(
            method, APIPath.path(path), query: goesToQuery ? fields.map { ($0.key, $0.text) } : [],
            headers: header.map { ($0.name, $0.value) }, body: body)
        if include {
            let lines = [response.statusLine] + response.headers.map { "\($0.name): \($0.value)" }
            StandardStream.output.line(lines.map(\.printable).joined(separator: "\n") + "\n")
        }
        if method == "HEAD", !response.isSuccess { throw CommandFailure("the gateway answered \(response.status)") }
        if response.isSuccess, !response.isJSON { return try await Self.copy(response) }
        let document = include ? try await response.whole() : try await response.document()
        if !document.isEmpty { StandardStream.output.line(String(decoding: document, as: UTF8.self)) }
        if include { try response.requireSuccess(document) }
    }

    /// Prints a body that is not JSON, each part when it arrives: the body may be long or endless.
    private static func copy(_ response: RawResponse) async throws {
        guard OutputStyle.output.isInteractive else { return try await response.read { StandardStream.output.write($0) } }
        var lines = PrintableLines()
        try await response.read { StandardStream.output.write(lines.take($0)) }
        StandardStream.output.write(lines.rest)
    }
}

/// One `KEY=VALUE` of a request.
struct RequestField: ExpressibleByArgument, Equatable {
    let key: String
    /// The text after the first `=`, for a query.
    let text: String

    init?(argument: String) {
        guard let (key, text) = AddressPart.split(argument) else { return nil }
        (self.key, self.text) = (key, text)
    }

    /// The value in a body: the text as JSON, or the text itself if it is not JSON. A number stays text if its JSON form differs
    /// from the typed text, such as the id `398172E4`.
    var value: Doorward.JSONValue {
        switch Doorward.JSONValue(json: text) {
        case .integer(let number) where "\(number)" != text: .string(text)
        case .number where text.contains { $0 == "e" || $0 == "E" } || !text.contains("."): .string(text)
        case let value: value ?? .string(text)
        }
    }
}

/// The path of a request.
enum APIPath {
    private static let prefix = "/api/v1"

    /// Returns the path after the API's prefix. Characters that a URL cannot contain are encoded as `%XX`. Percent signs stay as
    /// typed.
    static func path(_ text: String) -> String {
        var path = text.hasPrefix("/") ? text : "/\(text)"
        if path == prefix || path.hasPrefix("\(prefix)/") || path.hasPrefix("\(prefix)?") { path.removeFirst(prefix.count) }
        if !path.hasPrefix("/") { path = "/\(path)" }
        return path.utf8.reduce(into: "") { encoded, byte in
            // What a path or query may contain (RFC 3986, sections 3.3 and 3.4).
            if byte.isLetterOrDigit(or: "-._~!$&'()*+,;=:@/?%") {
                encoded.append(Character(Unicode.Scalar(byte)))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Returns the reason why a text is not a path; `nil` if it is one.
    static func problem(with text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.contains("://") { return "leave out the server, which is that of the sign-in" }
        if text.contains("#") { return "it has a fragment" }
        return nil
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit, or one of these characters.
    fileprivate func isLetterOrDigit(or others: String) -> Bool {
        let character = Character(Unicode.Scalar(self))
        return character.isASCII && (character.isLetter || character.isNumber) || others.utf8.contains(self)
    }
}

/// One `NAME: VALUE` header of a request.
struct HeaderArgument: ExpressibleByArgument, Equatable {
    let name: String
    let value: String

    /// Headers of the connection and of the sign-in, which the client sets itself.
    private static let reserved: Set = [
        "authorization", "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
    ]

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // What a header's name may contain (RFC 9110, section 5.6.2).
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0.isLetterOrDigit(or: "!#$%&'*+-.^_`|~") }),
            !Self.reserved.contains(parts[0].lowercased()), parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        name = String(parts[0])
        value = String(parts[1].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Converts bytes that arrive in parts to text that cannot control a terminal.
struct PrintableLines {
    /// The beginning of a line whose end has not arrived.
    private var pending: [UInt8] = []

    /// - Returns: the lines that are complete now, with their line breaks.
    mutating func take(_ part: [UInt8]) -> String {
        pending += part
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return "" }
        defer { pending.removeSubrange(...end) }
        return Self.printable(pending[...end])
    }

    /// The incomplete last line, to be printed when no more bytes will arrive.
    var rest: String { Self.printable(pending[...]) }

    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.map { line in
            let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            return text.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }.joined(
                separator: "\t")
        }.joined(separator: "\n")
    }
}
