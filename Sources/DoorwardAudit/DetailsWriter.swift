import DoorwardDomain

/// The constants of the JSON format of the details.
enum DetailsFormat {
    /// The maximum nesting depth of containers; the details themselves have depth 1.
    static let maxDepth = 32
    /// The integers that every JSON reader represents exactly: ±(2^53 − 1).
    static let integers: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
    /// The first character of the keys that are reserved for the format. If any other key begins
    /// with this character, the character is doubled.
    static let reserved = UInt8(ascii: "$")
    static let commitment: StaticString = "\"$commitment\":"
    static let person: StaticString = "\"$person\":"
}

/// Writes the details as canonical JSON (RFC 8785 without fractions). A personal value is written as an object
/// `{"$commitment":"<base64>"}`, with the member `"$person":"<id>"` if the value belongs to a user.
struct DetailsWriter {
    /// The length of a commitment in base64.
    private static let commitmentByteCount = 44

    private var path = DetailsPath()
    private var slots: [CommitmentSlot] = []

    /// - Returns: the personal values in the order of the text. Their commitments are placeholders.
    static func append(
        _ details: [String: RecordValue], to bytes: inout [UInt8]
    ) throws(RecordEncodingError) -> [CommitmentSlot] {
        var writer = Self()
        try writer.object(details, to: &bytes)
        return writer.slots
    }

    private mutating func value(_ value: RecordValue, to bytes: inout [UInt8]) throws(RecordEncodingError) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number):
            guard DetailsFormat.integers.contains(number) else { throw .integerOutOfRange }
            bytes.append(contentsOf: String(number).utf8)
        case .string(let text): CanonicalJSON.append(text, to: &bytes)
        case .array(let elements): try array(elements, to: &bytes)
        case .object(let members): try object(members, to: &bytes)
        case .personal(let text, let person): personal(text, of: person, to: &bytes)
        case .withheld: throw .withheldValue
        }
    }

    private mutating func array(_ elements: [RecordValue], to bytes: inout [UInt8]) throws(RecordEncodingError) {
        guard path.depth < DetailsFormat.maxDepth else { throw .tooDeep }
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            path.push(.index(index))
            try value(element, to: &bytes)
            path.pop()
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func object(_ members: [String: RecordValue], to bytes: inout [UInt8]) throws(RecordEncodingError) {
        guard path.depth < DetailsFormat.maxDepth else { throw .tooDeep }
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        // Doubling the `$` does not change the order of the keys, because it is doubled in every key that begins with `$`.
        for (key, member) in members.sorted(by: { CanonicalJSON.precedes($0.key, $1.key) }) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            CanonicalJSON.append(key, escapingReserved: true, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            path.push(.key(key))
            try value(member, to: &bytes)
            path.pop()
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func personal(_ value: String, of person: UserID?, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        DetailsFormat.commitment.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        slots.append(CommitmentSlot(field: path.field, value: value, person: person, form: .base64, offset: bytes.count))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "="), count: Self.commitmentByteCount))
        bytes.append(UInt8(ascii: "\""))
        if let person {
            bytes.append(UInt8(ascii: ","))
            DetailsFormat.person.withUTF8Buffer { bytes.append(contentsOf: $0) }
            CanonicalJSON.append(person.description, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// The path of a value in the details. The text of the path is the field name in the value's commitment.
///
/// A full stop precedes a key, and brackets enclose an index: `details.after.names[0]`. In a key, a
/// full stop, an opening bracket, a backslash and a zero character are escaped (`\.`, `\[`, `\\`,
/// `\0`). Different paths therefore have different texts, and no text contains a zero byte.
struct DetailsPath {
    enum Step {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    /// The number of containers around the value, including the details themselves.
    var depth: Int { steps.count }

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    /// The text of the path; computed only for personal values.
    var field: String {
        steps.reduce(into: "details") { text, step in
            switch step {
            case .key(let key): text += "." + Self.escaped(key)
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    private static func escaped(_ key: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            switch scalar {
            case ".", "[", "\\": text.append(contentsOf: ["\\", scalar])
            case "\0": text.append(contentsOf: ["\\", "0"])
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
