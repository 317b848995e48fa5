import ArgumentParser
import DoorwardAPI
import DoorwardClient
import FoundationEssentials

/// `doorward api`: any call of the HTTP API, as whoever is signed in.
struct API: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Call the HTTP API.",
        discussion: """
            Prints the JSON of the answer: its `data`, or the whole of it where it has none. What is not JSON is printed as it \
            comes. An error is told as by every command, with exit code 1.

            PATH is that of the API, with or without /api/v1 before it. Each KEY=VALUE is a part of the query of a GET, and a \
            member of the JSON body of any other method. There, a value that reads as JSON (a number, true, a list) is taken as \
            that, any other as text. With --input the body comes from a file, and KEY=VALUE goes to the query.

            A POST carries a new Idempotency-Key, unless --header gives one. It is sent once.

            Examples:
              doorward api GET devices propertyId=ID limit=5
              doorward api POST properties name="Quay 1" portfolioId=ID defaultTimeZone=Europe/Berlin
              doorward api PUT properties/ID name="Quay 2" --header 'If-Match: "TAG"'
              doorward api POST users --input user.json --include
            """)

    /// What HTTP and this program know of; the gateway says which of them a path has.
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    @Argument(
        help: ArgumentHelp("GET, HEAD, POST, PUT, PATCH or DELETE.", valueName: "method"),
        completion: .list(methods))
    var method: String

    @Argument(help: ArgumentHelp("The path, perhaps with a query.", valueName: "path"))
    var path: String

    @Argument(help: ArgumentHelp("Parts of the query or of the body.", valueName: "key=value"))
    var fields: [AddressPart] = []

    @Option(
        help: ArgumentHelp("Send this file as the body; - for standard input.", valueName: "file"), completion: .file())
    var input: String?

    @Option(
        help: ArgumentHelp("Send a header, as in 'If-Match: \"TAG\"'; the option can stand several times.", valueName: "header"))
    var header: [HeaderArgument] = []

    @Flag(help: "Print the status and the headers first, and the answer whole, that of an error too.")
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
        var request = RawCalls.Request(method.uppercased(), APIPath.path(path))
        request.headers = header.map { RawCalls.Field($0.name, $0.value) }
        if goesToQuery { request.query = fields.map { RawCalls.Field($0.key, $0.text) } }
        if let input {
            request.body = try BytesFile(path: input).read()
        } else if !goesToQuery, !fields.isEmpty {
            request.body = try Wire.Value.object(Dictionary(fields.map { ($0.key, $0.value) }) { first, _ in first }).json()
        }
        let response = try await client.raw.send(request)
        if include { Self.printHead(response) }
        if request.method == "HEAD", !response.isSuccess { throw CommandFailure("the gateway answered \(response.status)") }
        if response.isSuccess, !response.isJSON { return try await Self.copy(response) }
        let document = include ? try await response.whole() : try await response.document()
        if !document.isEmpty { StandardStream.output.line(String(decoding: document, as: UTF8.self)) }
        if include { try response.requireSuccess(document) }
    }

    private static func printHead(_ response: RawResponse) {
        let lines = [response.statusLine] + response.headers.map { "\($0.name): \($0.value)" }
        StandardStream.output.line(lines.map(\.printable).joined(separator: "\n") + "\n")
    }

    /// Prints a body that is no JSON, as it comes: it may be long, or have no end.
    private static func copy(_ response: RawResponse) async throws {
        guard OutputStyle.output.isInteractive else { return try await response.read { StandardStream.output.write($0) } }
        var lines = PrintableLines()
        try await response.read { StandardStream.output.write(lines.take($0)) }
        StandardStream.output.write(lines.rest)
    }
}

/// The path of a call.
enum APIPath {
    private static let prefix = "/api/v1"

    /// The path after the API's prefix, with what no URL holds as `%XX`. Percent signs are taken as they are typed.
    static func path(_ text: String) -> String {
        var path = text.hasPrefix("/") ? text : "/\(text)"
        if path == prefix || path.hasPrefix("\(prefix)/") || path.hasPrefix("\(prefix)?") { path.removeFirst(prefix.count) }
        if !path.hasPrefix("/") { path = "/\(path)" }
        return path.utf8.reduce(into: "") { encoded, byte in
            if isAllowed(byte) {
                encoded.append(Character(Unicode.Scalar(byte)))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Why a text is no path; `nil` where it is one.
    static func problem(with text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.contains("://") { return "leave out the server, which is that of the sign-in" }
        if text.contains("#") { return "it has a fragment" }
        return nil
    }

    /// RFC 3986, sections 3.3 and 3.4.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(byte)
        }
    }
}

/// `NAME: VALUE` of a request.
struct HeaderArgument: ExpressibleByArgument, Equatable {
    let name: String
    let value: String

    /// Those of the connection and of the sign-in, which the client sets.
    private static let reserved: Set = [
        "authorization", "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
    ]

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isTokenByte),
            !Self.reserved.contains(parts[0].lowercased()), parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        name = String(parts[0])
        value = String(parts[1].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// Bytes that come in parts, as text that cannot steer a terminal.
struct PrintableLines {
    /// The beginning of a line whose end has not come.
    private var pending: [UInt8] = []

    /// - Returns: the lines that are whole now, with their ends.
    mutating func take(_ part: [UInt8]) -> String {
        pending += part
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return "" }
        defer { pending.removeSubrange(...end) }
        return Self.printable(pending[...end])
    }

    /// What is left when no more comes.
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

extension Wire.Value {
    /// As a JSON text.
    fileprivate func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
