internal import DoorwardAudit

/// A record whose personal values are still encrypted, with the keys that decrypt them. Decrypting needs no connection and takes
/// most of the time of reading a record for an export.
struct SealedRecord: Sendable {
    struct Value: Sendable {
        let commitment: PersonalCommitment
        let ciphertext: [UInt8]
        let key: PersonKey
    }

    let seq: UInt64
    let bytes: [UInt8]
    let leafHash: [UInt8]
    /// The values of the record's commitments in their order; `nil` for one without a ciphertext or a key.
    let values: [Value?]

    /// Decrypts the values. A value that cannot be decrypted, or does not match its commitment, is omitted.
    func disclosed() -> DisclosedRecord {
        DisclosedRecord(
            seq: seq, bytes: bytes, leafHash: leafHash,
            personal: values.map { value in value.flatMap { try? $0.commitment.disclosed($0.ciphertext, under: $0.key) } })
    }
}
