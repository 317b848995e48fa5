import Synchronization

/// A record whose personal values are still encrypted, with the keys that decrypt them. Decrypting needs no store.
package struct SealedRecord: Sendable {
    /// A value of the record, and the key that decrypts it.
    package struct Value: Sendable {
        private let commitment: PersonalCommitment
        private let ciphertext: ArraySlice<UInt8>
        private let key: PersonKey

        package init(commitment: PersonalCommitment, ciphertext: ArraySlice<UInt8>, key: PersonKey) {
            (self.commitment, self.ciphertext, self.key) = (commitment, ciphertext, key)
        }

        /// The value; `nil` if it cannot be decrypted, or does not match its commitment.
        fileprivate func disclosed(_ known: KnownValues) -> DisclosedValue? {
            let candidate = known.value(of: commitment)
            guard let disclosed = try? commitment.disclosed(ciphertext, under: key, candidate: candidate) else { return nil }
            if disclosed.value != candidate { known.note(disclosed.value, of: commitment) }
            return disclosed
        }
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

    /// Decrypts the values that are not known. A value that cannot be decrypted, or does not match its commitment, is omitted.
    package func disclosed(_ known: KnownValues = KnownValues()) -> DisclosedRecord {
        DisclosedRecord(seq: seq, bytes: bytes, leafHash: leafHash, personal: values.map { $0?.disclosed(known) })
    }
}

/// The last value of each person's field in an export. Most records of a person have the same name and address as the one before,
/// which the commitment proves in less time than it takes to decrypt the value.
package final class KnownValues: Sendable {
    private struct Key: Hashable {
        let owner: PersonKeyOwner
        let field: String
    }

    private let values = Mutex<[Key: String]>([:])

    /// The most values, and the most bytes of a value with the name of its field: about a megabyte in all.
    private static let (maxCount, maxByteCount) = (4096, 128)

    package init() {}

    fileprivate func value(of commitment: PersonalCommitment) -> String? {
        values.withLock { $0[Key(owner: commitment.owner, field: commitment.place.field)] }
    }

    fileprivate func note(_ value: String, of commitment: PersonalCommitment) {
        guard value.utf8.count + commitment.place.field.utf8.count <= Self.maxByteCount else { return }
        values.withLock { values in
            if values.count >= Self.maxCount { values = [:] }
            values[Key(owner: commitment.owner, field: commitment.place.field)] = value
        }
    }
}
