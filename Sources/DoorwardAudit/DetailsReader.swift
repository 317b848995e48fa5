import DoorwardDomain
import FoundationEssentials

/// Reads the JSON of the details and rejects everything that `DetailsWriter` would not have written.
struct DetailsReader {
    /// Returns the personal value for a field, commitment and person; `nil` if the value is withheld.
    typealias Resolve = (_ field: String, _ commitment: Digest32, _ person: UserID?) throws -> String?

    private var scanner: CanonicalJSONScanner
    private var path = DetailsPath()

    init(_ json: ArraySlice<UInt8>) throws(RecordDecodingError) {
        guard json.first == UInt8(ascii: "{"), let scanner = CanonicalJSONScanner(json) else { throw .malformed(.details) }
        self.scanner = scanner
    }

    mutating func details(resolve: Resolve) throws -> [String: RecordValue] {
        // Empty details are not encoded at all.
        guard case .object(let members) = try value(resolve), !members.isEmpty, scanner.isAtEnd else { throw malformed }
        return members
    }

    private var malformed: RecordDecodingError { .malformed(.details) }

    private mutating func value(_ resolve: Resolve) throws -> RecordValue {
        switch scanner.next {
        case UInt8(ascii: "{"): return try object(resolve)
        case UInt8(ascii: "["): return try array(resolve)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        default:
            guard let number = scanner.integer(), DetailsFormat.integers.contains(number) else { throw malformed }
            return .integer(number)
        }
    }

    private mutating func literal(_ text: StaticString, _ value: RecordValue) throws -> RecordValue {
        guard scanner.skip(text) else { throw malformed }
        return value
    }

    private mutating func string() throws -> String {
        guard let text = scanner.string() else { throw malformed }
        return text
    }

    private mutating func array(_ resolve: Resolve) throws -> RecordValue {
        guard path.depth < DetailsFormat.maxDepth, scanner.skip("[") else { throw malformed }
        var elements: [RecordValue] = []
        if scanner.skip("]") { return .array(elements) }
        repeat {
            path.push(.index(elements.count))
            elements.append(try value(resolve))
            path.pop()
        } while scanner.skip(",")
        guard scanner.skip("]") else { throw malformed }
        return .array(elements)
    }

    private mutating func object(_ resolve: Resolve) throws -> RecordValue {
        guard path.depth <= DetailsFormat.maxDepth, scanner.skip("{") else { throw malformed }
        if scanner.starts(with: DetailsFormat.commitment) { return try personal(resolve) }
        guard path.depth < DetailsFormat.maxDepth else { throw malformed }
        var members: [String: RecordValue] = [:]
        if scanner.skip("}") { return .object(members) }
        var last: String?
        repeat {
            let key = try ordinaryKey()
            // The order check rejects a repeated key. The lookup also rejects a key that Swift
            // considers equal to an earlier key although their bytes differ.
            if let last, !CanonicalJSON.precedes(last, key) { throw malformed }
            guard members[key] == nil, scanner.skip(":") else { throw malformed }
            path.push(.key(key))
            members[key] = try value(resolve)
            path.pop()
            last = key
        } while scanner.skip(",")
        guard scanner.skip("}") else { throw malformed }
        return .object(members)
    }

    /// Reads a key that is not reserved for the format, and removes the first `$` of a key that
    /// begins with `$$`. Throws for a key that begins with a single `$`.
    private mutating func ordinaryKey() throws -> String {
        let written = try string()
        guard written.utf8.first == DetailsFormat.reserved else { return written }
        let key = String(written.unicodeScalars.dropFirst())
        guard key.utf8.first == DetailsFormat.reserved else { throw malformed }
        return key
    }

    /// Reads the object that represents a personal value.
    private mutating func personal(_ resolve: Resolve) throws -> RecordValue {
        guard path.depth > 0, scanner.skip(DetailsFormat.commitment) else { throw malformed }
        let base64 = try string()
        guard let bytes = Data(base64Encoded: base64), bytes.base64EncodedString() == base64,
            let commitment = Digest32(Array(bytes))
        else { throw malformed }
        var person: UserID?
        if scanner.skip(",") {
            guard scanner.skip(DetailsFormat.person) else { throw malformed }
            person = UserID(try string())
            if person == nil { throw malformed }
        }
        guard scanner.skip("}") else { throw malformed }
        guard let value = try resolve(path.field, commitment, person) else { return .withheld }
        return .personal(value, person: person)
    }
}
