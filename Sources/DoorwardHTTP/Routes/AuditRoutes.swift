internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import FoundationEssentials
internal import HTTPTypes

/// Checkpoints and proofs of the access logs.
enum AuditRoutes {
    static let all: [Route] = [
        .read("/audit/logs", "Lists the logs that the caller may verify.", .data(["logs": .array(.reference("AuditedLog"))])) {
            let logs = try await $0.control.audit.logs(for: $0.caller)
            return .success { $0.field("logs", logs) }
        },
        .get(
            "/audit/logs/:logId/checkpoint", "Reads the newest checkpoint of a log, a signed note (C2SP tlog-checkpoint).",
            .text("The signed note.")
        ) { request in
            let isCosigned = try request.readQuery { $0.bool("cosigned") } ?? false
            let (audit, log) = (request.control.audit, request.text("logId"))
            guard isCosigned else { return .text(try await audit.checkpoint(of: log, for: request.caller)) }
            return .text(try await audit.cosignedCheckpoint(of: log, for: request.caller))
        },
        .post(
            "/audit/logs/:logId/cosignatures",
            "Keeps cosignatures of witnesses over a checkpoint of a log (C2SP tlog-cosignature).",
            .text("The checkpoint with its cosignatures.")
        ) { request in
            let note = try request.readBody { $0.require("note", $0.string("note", .signedNote)) ?? "" }
            return .text(try await request.control.audit.cosign(note, of: request.text("logId"), for: request.caller))
        },
        .get(
            "/audit/logs/:logId/proof/inclusion", "Proves that a record is among the first records of a log.",
            .object("proof", "InclusionProof"), inclusion),
        .get(
            "/audit/logs/:logId/proof/consistency", "Proves that a log was only appended to.",
            .object("proof", "ConsistencyProof"), consistency),
        .read(
            "/audit/public-key", "Reads the public key of the checkpoints (C2SP signed-note).", .text("The key, one line.")
        ) { .text(try $0.control.audit.publicKey() + "\n") },
        .post(
            "/audit/key-rotation", "Replaces the key that signs checkpoints. For super admins.", .data(["publicKey": .text])
        ) { request in
            try request.readNothing()
            let key = try await request.control.audit.rotateKey(request.caller)
            return .success { $0.field("publicKey", key) }
        },
    ]

    /// The sizes that JSON numbers express exactly.
    static let validSizes = 0...9_007_199_254_740_991

    private static func inclusion(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (seq, size) = try request.readQuery { query in
            (query.requiredInteger("seq", in: validSizes), query.requiredInteger("size", in: validSizes))
        }
        let proof = try await request.control.audit.inclusionProof(
            of: UInt64(seq), size: UInt64(size), in: request.text("logId"), for: request.caller)
        return .success { $0.field("proof", InclusionProof(seq: seq, size: size, proof: proof)) }
    }

    private static func consistency(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (old, new) = try request.readQuery { query in
            (query.requiredInteger("from", in: validSizes), query.requiredInteger("to", in: validSizes))
        }
        let proof = try await request.control.audit.consistencyProof(
            from: UInt64(old), to: UInt64(new), in: request.text("logId"), for: request.caller)
        return .success { $0.field("proof", ConsistencyProof(from: old, to: new, proof: proof)) }
    }
}

extension AuditLogs.AuditedLog: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("id", \.log.description), .init("portfolioId", \.log.portfolioID), .init("origin", \.origin),
        .init("size", .count, \.size), .init("lastCheckpointAt", \.lastCheckpointAt), .init("isContradicted", \.isContradicted),
    ]
}

extension APIResponse {
    /// A response of plain text, without the envelope.
    fileprivate static func text(_ text: String) -> APIResponse {
        APIResponse(body: Array(text.utf8), type: "text/plain; charset=utf-8")
    }
}

/// `data.proof` of a proof of inclusion.
struct InclusionProof: ResponseObject {
    let seq: Int
    let size: Int
    let proof: AuditLogs.Proof

    static let fields: [ResponseField<Self>] = [
        .init("logId", \.proof.log.description), .init("seq", .count, \.seq), .init("size", .count, \.size),
        .init("leafHash") { Data($0.proof.leafHash ?? []).base64EncodedString() }, .init("hashes", \.proof.texts),
    ]
}

/// `data.proof` of a proof of consistency.
struct ConsistencyProof: ResponseObject {
    let from: Int
    let to: Int
    let proof: AuditLogs.Proof

    static let fields: [ResponseField<Self>] = [
        .init("logId", \.proof.log.description), .init("from", .count, \.from), .init("to", .count, \.to),
        .init("hashes", \.proof.texts),
    ]
}

extension AuditLogs.Proof {
    /// The hashes in Base64.
    fileprivate var texts: [String] { hashes.map { Data($0).base64EncodedString() } }
}

extension StringSchema {
    /// A signed note (C2SP): a text, an empty line, and at most 16 lines of signatures.
    fileprivate static let signedNote = StringSchema(
        pattern: #"^[^\u0000-\u0009\u000B-\u001F\u007F]*\n\n(\u2014 [^\s+]+ [A-Za-z0-9+/]+={0,2}\n){1,16}$"#)
}
