import Crypto
import DoorwardAudit
import DoorwardDomain
import FoundationEssentials

/// Ids, keys and records that are the same in every run.
enum Samples {
    static let at = Timestamp(milliseconds: 1_795_252_860_123)

    static func id<Entity>(_ number: UInt64, _: Entity.Type = Entity.self) -> EntityID<Entity> {
        EntityID(high: 0x019A_B3C0_0000_7000 + number << 16, low: 0x8000_0000_0000_0000 + number)
    }

    static let portfolioLog = LogID.portfolio(id(1))
    static let ada: UserID = id(2)
    static let bob: UserID = id(3)

    /// Returns the key of an owner in a log. Every owner and log has a different key, which is the same in every run.
    static func key(_ log: LogID, _ owner: PersonKeyOwner) throws -> PersonKey {
        let digest = SHA256.hash(data: Array("\(log) \(text(of: owner))".utf8))
        guard let key = PersonKey(bytes: Array(digest)) else { throw SampleError.noKey }
        return key
    }

    static func text(of owner: PersonKeyOwner) -> String {
        switch owner {
        case .user(let id): "user/\(id)"
        case .day(let day): "day/\(day)"
        }
    }

    enum SampleError: Error { case noKey }

    static func encode(_ body: RecordBody, seq: UInt64 = 0) throws -> EncodedRecord {
        try RecordDraft(body).encoded(seq: seq) { try key(body.log, $0) }
    }

    /// Decodes the record and decrypts all its personal values.
    static func decode(_ record: EncodedRecord, log: LogID) throws -> DecodedRecord {
        let sealed = Dictionary(uniqueKeysWithValues: record.personal.map { ($0.field, $0.ciphertext) })
        return try RecordEncoding.decode(record.bytes) { commitment in
            try sealed[commitment.place.field].map { try commitment.open($0, under: key(log, commitment.owner)) }
        }
    }

    /// Returns a small record of the gateway's log, without personal values.
    static func start(at: Timestamp = at, details: [String: RecordValue] = [:]) -> RecordBody {
        RecordBody(
            log: .gateway, id: id(10), at: at, kind: .gateway, actor: .gateway, source: .gateway, event: .start, details: details)
    }

    /// Returns a record with all fields except those of changes and events.
    static func outcome(at: Timestamp = at, id number: UInt64 = 11) -> RecordBody {
        RecordBody(
            log: portfolioLog, id: id(number), at: at, kind: .commandOutcome,
            actor: RecordActor(kind: .user, id: ada.description, name: "Ada Lovelace", userID: ada), source: .cli,
            operation: .unlock, decision: .allowed, rule: .association(id(12), .tenant), clientAddress: "203.0.113.7",
            requestID: "req-1",
            device: DeviceSnapshot(
                deviceID: id(13), deviceName: "Front door", unitID: id(14), propertyID: id(15), portfolioID: id(1)),
            commandID: id(16), outcome: .failed, outcomeDetail: "jammed", stateBefore: .locked, stateAfter: .jammed,
            latencyMs: 1234, statedReason: "Parcel", override: "Fire drill")
    }
}

extension [UInt8] {
    init?(hex text: String) {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else { return nil }
            append(byte)
        }
    }

    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

extension PersonalCommitment {
    func open(_ sealed: [UInt8], under key: PersonKey) throws(PersonalValueError) -> String { try open(sealed[...], under: key) }

    func disclosed(_ sealed: [UInt8], under key: PersonKey) throws(PersonalValueError) -> DisclosedValue {
        try disclosed(sealed[...], under: key)
    }
}
