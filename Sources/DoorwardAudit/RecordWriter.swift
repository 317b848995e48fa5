import DoorwardDomain

/// Returns the 32-byte commitment that the record contains instead of a personal value.
typealias Commit = (_ field: String, _ value: String, _ person: UserID?) throws -> [UInt8]

/// Writes the canonical bytes of one record.
struct RecordWriter {
    static let magic: [UInt8] = Array("DWRD".utf8)

    private var bytes: [UInt8]
    /// Whether a value was longer than its length field allows. Checked once, at the end.
    private var isTooLarge = false

    private init() {
        bytes = []
        // Most records have 500 to 700 bytes.
        bytes.reserveCapacity(1024)
        bytes.append(contentsOf: Self.magic)
        bytes.append(RecordEncoding.version)
    }

    /// - Throws: `RecordEncodingError`, or the error of `commit`.
    static func bytes(of body: RecordBody, seq: UInt64, commit: Commit) throws -> [UInt8] {
        var writer = Self()
        writer.writeHead(body, seq: seq)
        try writer.writeActor(body, commit: commit)
        writer.writeDevice(body)
        try writer.writeOutcome(body, commit: commit)
        try writer.writeChange(body, commit: commit)
        guard !writer.isTooLarge, writer.bytes.count <= RecordEncoding.maxByteCount else { throw RecordEncodingError.tooLarge }
        return writer.bytes
    }

    private mutating func writeHead(_ body: RecordBody, seq: UInt64) {
        field(.logID) { $0.append(log: body.log) }
        integer(.seq, seq)
        id(.id, body.id)
        integer(.at, UInt64(bitPattern: body.at.milliseconds))
        text(.kind, body.kind.rawValue)
        text(.operation, body.operation?.rawValue)
        text(.decision, body.decision?.rawValue)
        text(.reason, body.reason?.rawValue)
        text(.rule, body.rule?.recordText)
    }

    private mutating func writeActor(_ body: RecordBody, commit: Commit) throws {
        let person = body.actor.userID
        text(.actorKind, body.actor.kind.rawValue)
        text(.actorID, body.actor.id)
        try personal(.actorName, body.actor.name, of: person, commit: commit)
        id(.actorUserID, person)
        text(.source, body.source.rawValue)
        try personal(.clientAddress, body.clientAddress, of: person, commit: commit)
        text(.requestID, body.requestID)
    }

    private mutating func writeDevice(_ body: RecordBody) {
        id(.deviceID, body.device?.deviceID)
        text(.deviceName, body.device?.deviceName)
        id(.unitID, body.unitID)
        id(.propertyID, body.propertyID)
        id(.portfolioID, body.portfolioID)
    }

    private mutating func writeOutcome(_ body: RecordBody, commit: Commit) throws {
        id(.commandID, body.commandID)
        text(.outcome, body.outcome?.rawValue)
        text(.outcomeDetail, body.outcomeDetail)
        text(.stateBefore, body.stateBefore?.rawValue)
        text(.stateAfter, body.stateAfter?.rawValue)
        if let latency = body.latencyMs { integer(.latencyMs, UInt64(bitPattern: latency)) }
        try personal(.statedReason, body.statedReason, of: body.actor.userID, commit: commit)
        try personal(.override, body.override, of: body.actor.userID, commit: commit)
    }

    private mutating func writeChange(_ body: RecordBody, commit: Commit) throws {
        text(.event, body.event?.rawValue)
        text(.method, body.method?.rawValue)
        text(.action, body.action?.rawValue)
        text(.targetType, body.target?.type)
        text(.targetID, body.target?.id)
        guard !body.details.isEmpty else { return }
        try field(.details) { try DetailsWriter.append(body.details, to: &$0, commit: commit) }
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

    private mutating func personal(_ field: RecordField, _ value: String?, of person: UserID?, commit: Commit) throws {
        guard let value, let name = field.personalName else { return }
        let commitment = try commit(name, value, person)
        self.field(field) { $0.append(contentsOf: commitment) }
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
