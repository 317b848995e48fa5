extension Wire {
    /// A log that the caller may verify.
    package struct AuditedLog: Decodable, Equatable, Sendable {
        /// `gateway`, or a portfolio's id.
        package var id: String
        /// The portfolio; `nil` for the gateway's log.
        package var portfolioId: String?
        /// The name of the log in its checkpoints.
        package var origin: String
        /// The number of records.
        package var size: UInt64
        /// When the newest checkpoint was signed; `nil` before the first one.
        package var lastCheckpointAt: String?
        /// Whether records under the newest checkpoint have changed since; `nil` from a gateway that does not tell.
        package var isContradicted: Bool?
    }

    /// `data` of `GET /audit/logs`.
    package struct AuditedLogsAnswer: Decodable, Sendable {
        /// The logs in the order of their ids.
        package var logs: [AuditedLog]
    }

    /// The proof that a record is among the first `size` records of a log.
    package struct InclusionProof: Decodable, Equatable, Sendable {
        /// The id of the log.
        package var logId: String
        /// The number of the record.
        package var seq: UInt64
        /// The number of records under the root that the proof leads to.
        package var size: UInt64
        /// The leaf hash of the record, in base64.
        package var leafHash: String
        /// The hashes of the proof, in base64, the lowest first.
        package var hashes: [String]
    }

    /// `data` of `GET /audit/logs/:logId/proof/inclusion`.
    package struct InclusionProofAnswer: Decodable, Sendable {
        /// The proof.
        package var proof: InclusionProof
    }

    /// The proof that the first `from` records of a log are the beginning of the first `to` ones.
    package struct ConsistencyProof: Decodable, Equatable, Sendable {
        /// The id of the log.
        package var logId: String
        /// The number of records under the earlier root.
        package var from: UInt64
        /// The number of records under the later root.
        package var to: UInt64
        /// The hashes of the proof, in base64.
        package var hashes: [String]
    }

    /// `data` of `GET /audit/logs/:logId/proof/consistency`.
    package struct ConsistencyProofAnswer: Decodable, Sendable {
        /// The proof.
        package var proof: ConsistencyProof
    }

    /// `data` of `POST /audit/key-rotation`.
    package struct KeyRotationAnswer: Decodable, Sendable {
        /// The new public key, as C2SP signed-note writes it.
        package var publicKey: String
    }
}
