internal import NIOHTTP1

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
        // Without an idempotency key: a repeated request changes nothing.
        try await text(APIRequest(.POST, ["audit", "logs", log, "cosignatures"], body: ["note": note]))
    }

    /// Reads the public key of the checkpoints, one line.
    package func publicKey() async throws -> String { try await text(.get("audit", "public-key")) }

    /// Reads the proof that a record is among the first `size` records of a log.
    package func inclusionProof(of seq: UInt64, size: UInt64, in log: String) async throws -> Doorward.InclusionProof {
        let request = APIRequest.get("audit", "logs", log, "proof", "inclusion", query: [("seq", "\(seq)"), ("size", "\(size)")])
        return try await client.send(request, member: "proof").content
    }

    /// Reads the proof that the first `old` records of a log are the beginning of the first `new` ones.
    package func consistencyProof(from old: UInt64, to new: UInt64, in log: String) async throws -> Doorward.ConsistencyProof {
        let request = APIRequest.get("audit", "logs", log, "proof", "consistency", query: [("from", "\(old)"), ("to", "\(new)")])
        return try await client.send(request, member: "proof").content
    }

    /// Starts an export.
    ///
    /// - Parameter query: the format and the filters, by their names in the API; those without a value are left out.
    /// - Returns: the response with the file, which has not been read yet.
    /// - Throws: `ClientError.refused` for an error of the gateway.
    package func export(_ query: [(name: String, value: String?)]) async throws -> RawResponse {
        let response = try await client.open("GET", "/access-records/export", query: query)
        if !response.isSuccess { try response.requireSuccess(try await response.whole()) }
        return response
    }

    /// Replaces the key that signs checkpoints. Only super admins may do this.
    ///
    /// - Returns: the new public key, as C2SP signed-note writes it.
    package func rotateKey() async throws -> Response<String> {
        // Without an idempotency key: a repeated request would rotate the key once more.
        try await client.send(APIRequest(.POST, ["audit", "key-rotation"], body: [String: String]()), member: "publicKey")
    }

    private func text(_ request: APIRequest) async throws -> String {
        String(decoding: try await client.data(of: request).body, as: UTF8.self)
    }
}
