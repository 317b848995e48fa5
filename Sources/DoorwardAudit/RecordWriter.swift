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
struct RecordWriter {
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
            found = try DetailsWriter.append(body.details, to: &bytes)
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
