import DoorwardDomain

/// A record's commitment to a personal value that is stored beside it.
package struct PersonalCommitment: Hashable, Sendable {
    /// The log, record and field of the value.
    package let place: PersonalFieldPath
    /// The owner of the key, in that log, that encrypts the value.
    package let owner: PersonKeyOwner
    /// SHA-256 over field, salt and value: 32 bytes.
    package let commitment: [UInt8]

    package init(place: PersonalFieldPath, owner: PersonKeyOwner, commitment: [UInt8]) {
        (self.place, self.owner, self.commitment) = (place, owner, commitment)
    }

    /// Whether the record commits to `value`.
    package func holds(for value: String, salt: [UInt8]) -> Bool { place.commitment(to: value, salt: salt) == commitment }

    /// Decrypts the value and verifies it against the commitment.
    package func open(_ sealed: [UInt8], under key: PersonKey) throws(PersonalValueError) -> String {
        let value = try place.open(sealed, under: key)
        guard holds(for: value, salt: place.salt(under: key)) else { throw .commitmentMismatch(field: place.field) }
        return value
    }
}

/// An encrypted personal value, as it is stored beside its record.
package struct SealedValue: Hashable, Sendable {
    /// The field of the record, unique within it.
    package let field: String
    /// The owner of the key, in the record's log, that encrypts it.
    package let owner: PersonKeyOwner
    /// Nonce, ciphertext and tag of AES-256-GCM.
    package let ciphertext: [UInt8]

    package init(field: String, owner: PersonKeyOwner, ciphertext: [UInt8]) {
        (self.field, self.owner, self.ciphertext) = (field, owner, ciphertext)
    }
}

/// A record in its final stored form.
package struct EncodedRecord: Hashable, Sendable {
    /// The canonical bytes of docs/log-format.md, at most 65,535.
    package let bytes: [UInt8]
    /// The leaf of the log's Merkle tree: 32 bytes.
    package let leafHash: [UInt8]
    /// The encrypted personal values, in the order of the record's commitments.
    package let personal: [SealedValue]

    package init(bytes: [UInt8], leafHash: [UInt8], personal: [SealedValue]) {
        (self.bytes, self.leafHash, self.personal) = (bytes, leafHash, personal)
    }
}

/// A record read back from its bytes.
package struct DecodedRecord: Hashable, Sendable {
    /// The record. Personal values that were unavailable are `nil`, and `.withheld` inside the details.
    package let record: AccessRecord
    /// All commitments in the record, in its order.
    package let commitments: [PersonalCommitment]
    /// The fields whose values were unavailable: erased, or withheld from this reader.
    package let withheld: [String]

    package init(record: AccessRecord, commitments: [PersonalCommitment], withheld: [String]) {
        (self.record, self.commitments, self.withheld) = (record, commitments, withheld)
    }
}
