import DoorwardDomain
import FoundationEssentials

/// Decodes a record from its fields. Rejects every deviation from the format.
struct RecordReader {
    private let fields: RecordFields
    private var commitments: [PersonalCommitment] = []
    private var withheld: [String] = []

    init(fields: RecordFields) { self.fields = fields }

    mutating func record(personal: (PersonalCommitment) throws -> String?) throws -> DecodedRecord {
        let seq = try seq()
        var body = try head()
        body.actor.userID = try id(.actorUserID)
        let owner = body.actor.userID.map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: body.at)
        let record = body.id
        func value(of field: RecordField) throws -> String? {
            try commitment(of: field, owner: owner, in: record).flatMap { try self.value(of: $0, personal) }
        }
        body.actor.name = try value(of: .actorName)
        body.clientAddress = try value(of: .clientAddress)
        body.statedReason = try value(of: .statedReason)
        body.override = try value(of: .override)
        body.details = try details(of: body.id, at: body.at, personal: personal)
        return DecodedRecord(record: AccessRecord(seq: seq, body: body), commitments: commitments, withheld: withheld)
    }

    /// Finds the commitments that `record` passes to its caller, without reading the other fields.
    mutating func foundCommitments() throws -> [PersonalCommitment] {
        let (record, at): (RecordID, Timestamp) = (try required(id(.id), .id), try at())
        let owner = try id(.actorUserID).map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: at)
        commitments.reserveCapacity(Self.personal.count)
        for field in Self.personal {
            guard let found = try commitment(of: field, owner: owner, in: record) else { continue }
            commitments.append(found)
        }
        // Each commitment in the details is the value of a key with a `$`.
        if fields[.details]?.contains(DetailsFormat.reserved) == true { _ = try details(of: record, at: at) { _ in nil } }
        return commitments
    }

    /// The fields outside the details that contain a commitment.
    private static let personal: [RecordField] = [.actorName, .clientAddress, .statedReason, .override]

    private func seq() throws(RecordDecodingError) -> UInt64 {
        let seq = try required(fields.uint64(.seq), .seq)
        guard seq <= UInt64(Int64.max) else { throw .malformed(.seq) }
        return seq
    }

    private func at() throws(RecordDecodingError) -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: try required(fields.uint64(.at), .at)))
    }

    /// Reads all fields except the personal values and the details.
    private func head() throws(RecordDecodingError) -> RecordBody {
        RecordBody(
            log: try log(), id: try required(id(.id), .id),
            at: try at(),
            kind: try required(fields.value(.kind), .kind),
            actor: RecordActor(kind: try required(fields.value(.actorKind), .actorKind), id: try fields.text(.actorID)),
            source: try required(fields.value(.source), .source),
            operation: try fields.value(.operation), decision: try fields.value(.decision), reason: try fields.value(.reason),
            rule: try rule(), requestID: try fields.text(.requestID), device: try device(), path: try path(),
            commandID: try id(.commandID),
            outcome: try fields.value(.outcome), outcomeDetail: try fields.text(.outcomeDetail),
            stateBefore: try fields.value(.stateBefore), stateAfter: try fields.value(.stateAfter),
            latencyMs: try fields.uint64(.latencyMs).map { Int64(bitPattern: $0) },
            event: try fields.value(.event), method: try fields.value(.method), action: try fields.value(.action),
            target: try target())
    }

    private func log() throws(RecordDecodingError) -> LogID {
        let bytes = try fields.required(.logID)
        if bytes.elementsEqual("gateway".utf8) { return .gateway }
        guard let id = PortfolioID(text: bytes) else { throw .malformed(.logID) }
        return .portfolio(id)
    }

    private func rule() throws(RecordDecodingError) -> Rule? {
        guard let bytes = fields[.rule] else { return nil }
        guard let rule = Rule(recordText: bytes) else { throw .malformed(.rule) }
        return rule
    }

    private func device() throws(RecordDecodingError) -> DeviceSnapshot? {
        guard let deviceID: DeviceID = try id(.deviceID) else {
            guard fields[.deviceName] == nil else { throw .missing(.deviceID) }
            return nil
        }
        return DeviceSnapshot(
            deviceID: deviceID, deviceName: try fields.text(.deviceName), unitID: try id(.unitID),
            propertyID: try id(.propertyID), portfolioID: try id(.portfolioID))
    }

    private func path() throws(RecordDecodingError) -> EntityPathIDs? {
        guard fields[.deviceID] == nil else { return nil }
        let path = EntityPathIDs(unitID: try id(.unitID), propertyID: try id(.propertyID), portfolioID: try id(.portfolioID))
        return path == EntityPathIDs() ? nil : path
    }

    private func target() throws(RecordDecodingError) -> RecordTarget? {
        switch (try fields.text(.targetType), try fields.text(.targetID)) {
        case (nil, nil): return nil
        case (nil, _): throw .missing(.targetType)
        case (_, nil): throw .missing(.targetID)
        case (let type?, let id?): return RecordTarget(type: type, id: id)
        }
    }

    private mutating func details(
        of record: RecordID, at: Timestamp, personal: (PersonalCommitment) throws -> String?
    ) throws -> [String: RecordValue] {
        guard let json = fields[.details] else { return [:] }
        return try json.withUnsafeBufferPointer { json in
            var reader = DetailsReader(json)
            return try reader.details { field, commitment, person in
                let owner = person.map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: at)
                let place = PersonalFieldPath(record: record, field: field)
                return try value(of: PersonalCommitment(place: place, owner: owner, commitment: commitment), personal)
            }
        }
    }

    // MARK: - One field

    /// Returns `nil` if the record has no such field.
    private func commitment(
        of field: RecordField, owner: PersonKeyOwner, in record: RecordID
    ) throws(RecordDecodingError) -> PersonalCommitment? {
        guard let bytes = fields[field], let name = field.personalName else { return nil }
        guard let commitment = Digest32(bytes) else { throw .malformed(field) }
        let place = PersonalFieldPath(record: record, field: name)
        return PersonalCommitment(place: place, owner: owner, commitment: commitment)
    }

    private mutating func value(
        of commitment: PersonalCommitment, _ personal: (PersonalCommitment) throws -> String?
    ) throws -> String? {
        commitments.append(commitment)
        let value = try personal(commitment)
        if value == nil { withheld.append(commitment.place.field) }
        return value
    }

    private func id<Entity>(_ field: RecordField) throws(RecordDecodingError) -> EntityID<Entity>? {
        guard let bytes = fields[field] else { return nil }
        guard let id = EntityID<Entity>(text: bytes) else { throw .malformed(field) }
        return id
    }

    private func required<Value>(_ value: Value?, _ field: RecordField) throws(RecordDecodingError) -> Value {
        guard let value else { throw .missing(field) }
        return value
    }
}

/// Reads the JSON of the details and rejects everything that `DetailsWriter` would not have written.
struct DetailsReader {
    /// Returns the personal value for a field, commitment and person; `nil` if the value is withheld.
    typealias Resolve = (_ field: String, _ commitment: Digest32, _ person: UserID?) throws -> String?

    private var scanner: CanonicalJSONScanner
    private var path = DetailsPath()

    /// - Parameter json: bytes that outlive the reader.
    init(_ json: UnsafeBufferPointer<UInt8>) { scanner = CanonicalJSONScanner(json) }

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
