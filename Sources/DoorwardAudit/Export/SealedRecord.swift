/// A record whose personal values are still encrypted, with the keys that decrypt them. Decrypting needs no store, and takes most of
/// the time of reading a record for an export.
package struct SealedRecord: Sendable {
    /// A value of the record, and the key that decrypts it.
    package struct Value: Sendable {
        private let commitment: PersonalCommitment
        private let ciphertext: ArraySlice<UInt8>
        private let key: PersonKey

        package init(commitment: PersonalCommitment, ciphertext: ArraySlice<UInt8>, key: PersonKey) {
            (self.commitment, self.ciphertext, self.key) = (commitment, ciphertext, key)
        }

        /// The decrypted value; `nil` if it cannot be decrypted, or does not match its commitment.
        fileprivate var disclosed: DisclosedValue? { try? commitment.disclosed(ciphertext, under: key) }
    }

    /// The record's number in the log.
    package let seq: UInt64
    /// The canonical bytes.
    package let bytes: [UInt8]
    /// The stored leaf hash.
    package let leafHash: Digest32
    /// The values of the record's commitments in their order; `nil` for one without a ciphertext or a key.
    private let values: [Value?]

    package init(seq: UInt64, bytes: [UInt8], leafHash: Digest32, values: [Value?]) {
        (self.seq, self.bytes, self.leafHash, self.values) = (seq, bytes, leafHash, values)
    }

    /// Decrypts the values. A value that cannot be decrypted, or does not match its commitment, is omitted.
    package func disclosed() -> DisclosedRecord {
        DisclosedRecord(seq: seq, bytes: bytes, leafHash: leafHash, personal: values.map { $0?.disclosed })
    }
}
