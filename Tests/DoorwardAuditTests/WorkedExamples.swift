import DoorwardAudit
import DoorwardDomain
import Foundation

/// The worked examples of docs/log-format.md: two small logs with all intermediate values.
struct WorkedExamples: Codable, Equatable {
    var about = "Worked examples of docs/log-format.md, version 1. Keys are given so that every hash can be derived."
    var logs: [ExampleLog]
    var refused: [Refusal]

    struct ExampleLog: Codable, Equatable {
        var logId: String
        /// The keys by owner: `user/<id>` or `day/<date>`.
        var keys: [String: String]
        var records: [ExampleRecord]
    }

    struct ExampleRecord: Codable, Equatable {
        var fields: [String: ExampleValue]
        var bytes: String
        var leafHash: String
        var personal: [ExamplePersonal]
        /// The frontier of the log up to this record.
        var frontier: String
        var root: String
    }

    struct ExamplePersonal: Codable, Equatable {
        var field: String
        var owner: String
        var value: String
        var salt: String
        var commitment: String
        var sealed: String
    }

    struct Refusal: Codable, Equatable {
        var name: String
        var bytes: String
    }

    /// The examples as sorted and indented JSON, so that two versions can be compared by eye.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        }
    }

    static func make() throws -> Self {
        let logs = try ExampleBodies.logs.map(example(log:bodies:))
        return Self(logs: logs, refused: try ExampleRefusals.make(from: Array(hex: logs[1].records[0].bytes) ?? []))
    }

    private static func example(log: LogID, bodies: [RecordBody]) throws -> ExampleLog {
        var example = ExampleLog(logId: log.description, keys: [:], records: [])
        var frontier = MerkleFrontier()
        for (seq, body) in bodies.enumerated() {
            var keys: [PersonKeyOwner: PersonKey] = [:]
            let encoded = try RecordDraft(body).encoded(seq: UInt64(seq)) { owner in
                let key = try Samples.key(log, owner)
                keys[owner] = key
                return key
            }
            for (owner, key) in keys { example.keys[Samples.text(of: owner)] = key.revealBytes().hex }
            frontier.append(leafHash: encoded.leafHash)
            example.records.append(
                ExampleRecord(
                    fields: ExampleValue.fields(of: body, seq: UInt64(seq)), bytes: encoded.bytes.hex,
                    leafHash: encoded.leafHash.hex, personal: try personal(encoded, keys: keys),
                    frontier: frontier.bytes.hex, root: frontier.root.hex))
        }
        return example
    }

    private static func personal(_ encoded: EncodedRecord, keys: [PersonKeyOwner: PersonKey]) throws -> [ExamplePersonal] {
        let commitments = try RecordEncoding.decode(encoded.bytes).commitments
        return try zip(encoded.personal, commitments).map { sealed, commitment in
            guard let key = keys[sealed.owner] else { throw Samples.SampleError.noKey }
            return ExamplePersonal(
                field: sealed.field, owner: Samples.text(of: sealed.owner),
                value: try commitment.open(sealed.ciphertext, under: key), salt: commitment.place.salt(under: key).bytes.hex,
                commitment: commitment.commitment.bytes.hex, sealed: sealed.ciphertext.hex)
        }
    }
}

/// A field of a record, in the form in which the fixture gives it to other implementations. A personal value inside the details
/// is an object with the single key `!`, whose value is an array of one element: `{"personal": value, "person": id or null}`.
indirect enum ExampleValue: Codable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([ExampleValue])
    case object([String: ExampleValue])

    init(_ value: RecordValue) {
        switch value {
        case .null, .withheld: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(Self.init))
        case .object(let members): self = .object(members.mapValues(Self.init))
        case .personal(let text, let person):
            let given: Self = .object(["personal": .string(text), "person": person.map { .string($0.description) } ?? .null])
            self = .object(["!": .array([given])])
        }
    }

    /// Returns the record's fields by their names in docs/log-format.md, without absent fields.
    static func fields(of body: RecordBody, seq: UInt64) -> [String: Self] {
        let device = body.device
        let texts: [String: String?] = [
            "logId": body.log.description, "id": body.id.description, "kind": body.kind.rawValue,
            "operation": body.operation?.rawValue, "decision": body.decision?.rawValue, "reason": body.reason?.rawValue,
            "rule": body.rule.map { [$0.kind, $0.id ?? "", $0.role.rawValue].joined(separator: "/") },
            "actorKind": body.actor.kind.rawValue, "actorId": body.actor.id, "actorName": body.actor.name,
            "actorUserId": body.actor.userID?.description, "source": body.source.rawValue, "clientAddress": body.clientAddress,
            "requestId": body.requestID, "deviceId": device?.deviceID.description, "deviceName": device?.deviceName,
            "unitId": body.unitID?.description, "propertyId": body.propertyID?.description,
            "portfolioId": body.portfolioID?.description, "commandId": body.commandID?.description,
            "outcome": body.outcome?.rawValue, "outcomeDetail": body.outcomeDetail, "stateBefore": body.stateBefore?.rawValue,
            "stateAfter": body.stateAfter?.rawValue, "statedReason": body.statedReason, "override.reason": body.override,
            "event": body.event?.rawValue, "method": body.method?.rawValue, "action": body.action?.rawValue,
            "targetType": body.target?.type, "targetId": body.target?.id,
        ]
        var fields = texts.compactMapValues { $0.map(Self.string) }
        fields["seq"] = .integer(Int64(seq))
        fields["at"] = .integer(body.at.milliseconds)
        fields["latencyMs"] = body.latencyMs.map(Self.integer)
        if !body.details.isEmpty { fields["details"] = .object(body.details.mapValues(Self.init)) }
        return fields
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([Self].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: Self].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
