import DoorwardDomain

/// A personal value, and the part of the record's bytes that is reserved for the commitment to it.
struct CommitmentSlot: Sendable {
    enum Form: Sendable {
        /// The 32 bytes of the commitment.
        case bytes
        /// The commitment in base64, 44 characters.
        case base64
    }

    /// The name of the field in the commitment: see `PersonalFieldPath`.
    let field: String
    let value: String
    /// The user whom the value belongs to, if any.
    let person: UserID?
    let form: Form
    /// The offset of the first byte in the record's bytes.
    let offset: Int
}

/// Writes the canonical bytes of one record, except for `seq` and the commitments: these bytes are placeholders.
struct RecordWriter: Sendable {
    static let magic: [UInt8] = Array("DWRD".utf8)

    private(set) var bytes: [UInt8]
    /// The personal values in the order of the fields.
    private(set) var slots: [CommitmentSlot] = []
    /// The offset of the eight bytes of `seq`.
    private(set) var seqOffset = 0
    /// Whether a value was longer than its length field allows. Checked once, at the end.
    private var isTooLarge = false

    init(_ body: RecordBody) throws(RecordEncodingError) {
        bytes = []
        // Most records have 500 to 700 bytes.
        bytes.reserveCapacity(1024)
        bytes.append(contentsOf: Self.magic)
        bytes.append(RecordEncoding.version)
        writeHead(body)
        writeActor(body)
        writeDevice(body)
        writeOutcome(body)
        try writeChange(body)
        guard !isTooLarge, bytes.count <= RecordEncoding.maxByteCount else { throw .tooLarge }
    }

    private mutating func writeHead(_ body: RecordBody) {
        field(.logID) { $0.append(log: body.log) }
        integer(.seq, 0)
        seqOffset = bytes.count - MemoryLayout<UInt64>.size
        id(.id, body.id)
        integer(.at, UInt64(bitPattern: body.at.milliseconds))
        text(.kind, body.kind.rawValue)
        text(.operation, body.operation?.rawValue)
        text(.decision, body.decision?.rawValue)
        text(.reason, body.reason?.rawValue)
        text(.rule, body.rule?.recordText)
    }

    private mutating func writeActor(_ body: RecordBody) {
        let person = body.actor.userID
        text(.actorKind, body.actor.kind.rawValue)
        text(.actorID, body.actor.id)
        personal(.actorName, body.actor.name, of: person)
        id(.actorUserID, person)
        text(.source, body.source.rawValue)
        personal(.clientAddress, body.clientAddress, of: person)
        text(.requestID, body.requestID)
    }

    private mutating func writeDevice(_ body: RecordBody) {
        id(.deviceID, body.device?.deviceID)
        text(.deviceName, body.device?.deviceName)
        id(.unitID, body.unitID)
        id(.propertyID, body.propertyID)
        id(.portfolioID, body.portfolioID)
    }

    private mutating func writeOutcome(_ body: RecordBody) {
        id(.commandID, body.commandID)
        text(.outcome, body.outcome?.rawValue)
        text(.outcomeDetail, body.outcomeDetail)
        text(.stateBefore, body.stateBefore?.rawValue)
        text(.stateAfter, body.stateAfter?.rawValue)
        if let latency = body.latencyMs { integer(.latencyMs, UInt64(bitPattern: latency)) }
        personal(.statedReason, body.statedReason, of: body.actor.userID)
        personal(.override, body.override, of: body.actor.userID)
    }

    private mutating func writeChange(_ body: RecordBody) throws(RecordEncodingError) {
        text(.event, body.event?.rawValue)
        text(.method, body.method?.rawValue)
        text(.action, body.action?.rawValue)
        text(.targetType, body.target?.type)
        text(.targetID, body.target?.id)
        guard !body.details.isEmpty else { return }
        var found: [CommitmentSlot] = []
        try field(.details) { bytes throws(RecordEncodingError) in
            found = try DetailsWriter.append(body.details, as: .record, to: &bytes)
        }
        slots += found
    }

    // MARK: - One field

    private mutating func text(_ field: RecordField, _ value: String?) {
        guard let value else { return }
        self.field(field) { $0.append(contentsOf: value.utf8) }
    }

    private mutating func id<Entity>(_ field: RecordField, _ value: EntityID<Entity>?) {
        guard let value else { return }
        self.field(field) { $0.append(id: value) }
    }

    private mutating func integer(_ field: RecordField, _ value: UInt64) {
        self.field(field) { $0.append(bigEndian: value) }
    }

    private mutating func personal(_ field: RecordField, _ value: String?, of person: UserID?) {
        guard let value, let name = field.personalName else { return }
        self.field(field) { $0.append(contentsOf: repeatElement(0, count: MerkleTree.hashByteCount)) }
        let offset = bytes.count - MerkleTree.hashByteCount
        slots.append(CommitmentSlot(field: name, value: value, person: person, form: .bytes, offset: offset))
    }

    /// Writes a field: its number, the length in two bytes, and the value.
    private mutating func field<Failure: Error>(
        _ field: RecordField, write: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.append(field.rawValue)
        bytes.append(0)
        bytes.append(0)
        let start = bytes.count
        try write(&bytes)
        let length = bytes.count - start
        if length > RecordEncoding.maxByteCount { isTooLarge = true }
        bytes[start - 2] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[start - 1] = UInt8(truncatingIfNeeded: length)
    }
}

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

/// Writes the details as canonical JSON (RFC 8785 without fractions).
struct DetailsWriter {
    /// The two texts of the details.
    enum Form {
        /// The text in a record's bytes: a personal value is an object `{"$commitment":"<base64>"}`, with the member `"$person":"<id>"`
        /// if the value belongs to a user. Values without an encoding are an error.
        case record
        /// The text in an export, with the personal values in it; `null` for one that is withheld. Of decoded details, it has no error.
        case shown
    }

    /// The length of a commitment in base64.
    private static let commitmentByteCount = 44

    private let form: Form
    private var path = DetailsPath()
    private var slots: [CommitmentSlot] = []

    private init(_ form: Form) { self.form = form }

    /// - Returns: the personal values in the order of the text, unless they are shown. Their commitments are placeholders.
    @discardableResult
    static func append(
        _ details: [String: RecordValue], as form: Form, to text: inout some TextOutput
    ) throws(RecordEncodingError) -> [CommitmentSlot] {
        var writer = Self(form)
        try writer.object(details, to: &text)
        return writer.slots
    }

    private mutating func value(_ value: RecordValue, to text: inout some TextOutput) throws(RecordEncodingError) {
        switch value {
        case .null: text.append("null")
        case .bool(let flag): text.append(flag ? "true" : "false")
        case .integer(let number):
            guard DetailsFormat.integers.contains(number) else { throw .integerOutOfRange }
            text.append(string: String(number))
        case .string(let string): CanonicalJSON.append(string, to: &text)
        case .array(let elements): try array(elements, to: &text)
        case .object(let members): try object(members, to: &text)
        case .personal(let string, let person):
            if form == .shown { CanonicalJSON.append(string, to: &text) } else { personal(string, of: person, to: &text) }
        case .withheld:
            guard form == .shown else { throw .withheldValue }
            text.append("null")
        }
    }

    private mutating func array(_ elements: [RecordValue], to text: inout some TextOutput) throws(RecordEncodingError) {
        guard path.depth < DetailsFormat.maxDepth else { throw .tooDeep }
        text.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            path.push(.index(index))
            try value(element, to: &text)
            path.pop()
        }
        text.append(UInt8(ascii: "]"))
    }

    private mutating func object(_ members: [String: RecordValue], to text: inout some TextOutput) throws(RecordEncodingError) {
        guard path.depth < DetailsFormat.maxDepth else { throw .tooDeep }
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        // Doubling the `$` does not change the order of the keys, because it is doubled in every key that begins with `$`.
        for (key, member) in members.sorted(by: { CanonicalJSON.precedes($0.key, $1.key) }) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            CanonicalJSON.append(key, escapingReserved: form == .record, to: &text)
            text.append(UInt8(ascii: ":"))
            path.push(.key(key))
            try value(member, to: &text)
            path.pop()
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func personal(_ value: String, of person: UserID?, to text: inout some TextOutput) {
        text.append(UInt8(ascii: "{"))
        text.append(DetailsFormat.commitment)
        text.append(UInt8(ascii: "\""))
        slots.append(CommitmentSlot(field: path.field, value: value, person: person, form: .base64, offset: text.count))
        for _ in 0..<Self.commitmentByteCount { text.append(UInt8(ascii: "=")) }
        text.append(UInt8(ascii: "\""))
        if let person {
            text.append(UInt8(ascii: ","))
            text.append(DetailsFormat.person)
            CanonicalJSON.append(person.description, to: &text)
        }
        text.append(UInt8(ascii: "}"))
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

extension Rule {
    /// `kind/id/role`, as encoded in records. For a rule without an id, the text between the slashes is empty.
    var recordText: String { "\(kind)/\(id ?? "")/\(role.rawValue)" }

    /// Parses exactly the texts that `recordText` produces.
    init?(recordText bytes: some RandomAccessCollection<UInt8>) {
        if bytes.elementsEqual("SUPER_ADMIN//SUPER_ADMIN".utf8) {
            self = .superAdmin
            return
        }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3, let role = Role(rawValue: String(decoding: parts[2], as: UTF8.self)),
            role.rawValue.utf8.elementsEqual(parts[2])
        else { return nil }
        if parts[0].elementsEqual("ASSOCIATION".utf8), let id = AssociationID(text: parts[1]) {
            self = .association(id, role)
        } else if parts[0].elementsEqual("GUEST_ACCESS".utf8), let id = GuestAccessID(text: parts[1]), role == .guest {
            self = .guestAccess(id)
        } else {
            return nil
        }
    }
}
