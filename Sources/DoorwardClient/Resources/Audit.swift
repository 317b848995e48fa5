/// Checkpoints and proofs of the access logs.
package struct Audit: Sendable {
    let client: DoorwardClient

    /// Lists the logs that the caller may verify.
    package func logs() async throws -> Response<[Doorward.AuditedLog]> {
        try await client.send(.get("audit", "logs"), member: "logs")
    }

    /// Reads the newest checkpoint of a log, a signed note.
    package func checkpoint(of log: String) async throws -> String { try await text(.get("audit", "logs", log, "checkpoint")) }

    /// Reads the newest checkpoint of a log that a witness has cosigned.
    package func cosignedCheckpoint(of log: String) async throws -> String {
        try await text(.get("audit", "logs", log, "checkpoint", query: [("cosigned", "true")]))
    }

    /// Makes the gateway keep the cosignatures of a checkpoint.
    ///
    /// - Parameter note: the checkpoint with the cosignatures.
    /// - Returns: the checkpoint with all its cosignatures.
    package func cosign(_ note: String, of log: String) async throws -> String {
        var request = try APIRequest.post("audit", "logs", log, "cosignatures", body: ["note": note])
        // A repeated request changes nothing.
        request.idempotencyKey = nil
        return try await text(request)
    }

    /// Reads the public key of the checkpoints, one line.
    package func publicKey() async throws -> String { try await text(.get("audit", "public-key")) }

    /// Reads the proof that a record is among the first `size` records of a log.
    package func inclusionProof(of seq: UInt64, size: UInt64, in log: String) async throws -> Doorward.InclusionProof {
        let request = APIRequest.get(
            "audit", "logs", log, "proof", "inclusion", query: [("seq", "\(seq)"), ("size", "\(size)")])
        return try await client.send(request, member: "proof").content
    }

    /// Reads the proof that the first `old` records of a log are the beginning of the first `new` ones.
    package func consistencyProof(
        from old: UInt64, to new: UInt64, in log: String
    ) async throws -> Doorward.ConsistencyProof {
        let request = APIRequest.get(
            "audit", "logs", log, "proof", "consistency", query: [("from", "\(old)"), ("to", "\(new)")])
        return try await client.send(request, member: "proof").content
    }

    /// The selection of an export. A `nil` filter excludes nothing.
    package struct ExportQuery: Sendable {
        /// `ndjson` or `csv`.
        package var format: String
        /// `comma` or `semicolon`, for `csv`; `nil` for a comma.
        package var separator: String?
        /// The log; `nil` for the only one that the caller may export.
        package var logID: String?
        /// The number of the first record.
        package var fromSeq: UInt64?
        /// The number after that of the last record.
        package var untilSeq: UInt64?
        /// Only records of this lock.
        package var deviceID: String?
        /// RFC 3339; inclusive.
        package var from: String?
        /// RFC 3339; exclusive.
        package var until: String?

        package init(format: String) { self.format = format }
    }

    /// Starts an export.
    ///
    /// - Returns: the response with the file, which has not been read yet.
    /// - Throws: `ClientError.refused` for an error of the gateway.
    package func export(_ query: ExportQuery) async throws -> RawResponse {
        var request = RawRequests.Request("GET", "/access-records/export")
        let items = [
            ("format", query.format), ("separator", query.separator), ("logId", query.logID),
            ("fromSeq", query.fromSeq.map { "\($0)" }),
            ("untilSeq", query.untilSeq.map { "\($0)" }), ("deviceId", query.deviceID), ("from", query.from),
            ("until", query.until),
        ]
        request.query = items.compactMap { name, value in value.map { RawRequests.Field(name, $0) } }
        let response = try await client.raw.send(request)
        if !response.isSuccess { try response.requireSuccess(try await response.whole()) }
        return response
    }

    /// Replaces the key that signs checkpoints. Only super admins may do this.
    ///
    /// - Returns: the new public key, as C2SP signed-note writes it.
    package func rotateKey() async throws -> Response<String> {
        var request = try APIRequest.post("audit", "key-rotation", body: [String: String]())
        // A repeated request would rotate the key once more.
        request.idempotencyKey = nil
        return try await client.send(request, member: "publicKey")
    }

    private func text(_ request: APIRequest) async throws -> String {
        String(decoding: try await client.bytes(of: request), as: UTF8.self)
    }
}
