import DoorwardDomain

/// A record's word for a personal value that is kept beside it.
package struct PersonalCommitment: Hashable, Sendable {
    /// Where in the record it stands.
    package let place: PersonalPlace
    /// Under whose key of the log the value is sealed.
    package let owner: PersonKeyOwner
    /// SHA-256 over field, salt and value: 32 bytes.
    package let commitment: [UInt8]

    package init(place: PersonalPlace, owner: PersonKeyOwner, commitment: [UInt8]) {
        (self.place, self.owner, self.commitment) = (place, owner, commitment)
    }

    /// Whether `value` is what was committed to.
    package func holds(for value: String, salt: [UInt8]) -> Bool { place.commitment(to: value, salt: salt) == commitment }

    /// The value, after it was found to be the one that the record commits to.
    package func open(_ sealed: [UInt8], under key: PersonKey) throws(PersonalValueError) -> String {
        let value = try place.open(sealed, under: key)
        guard holds(for: value, salt: place.salt(under: key)) else { throw .commitmentMismatch(field: place.field) }
        return value
    }
}

/// A personal value as it is kept beside its record.
package struct SealedValue: Hashable, Sendable {
    /// The field of the record, unique within it.
    package let field: String
    /// Under whose key of the log it is sealed.
    package let owner: PersonKeyOwner
    /// Nonce, ciphertext and tag of AES-256-GCM.
    package let ciphertext: [UInt8]

    package init(field: String, owner: PersonKeyOwner, ciphertext: [UInt8]) {
        (self.field, self.owner, self.ciphertext) = (field, owner, ciphertext)
    }
}

/// A record in the form that is stored: nothing of it changes any more.
package struct EncodedRecord: Hashable, Sendable {
    /// The canonical bytes of docs/log-format.md, 65,535 at most.
    package let bytes: [UInt8]
    /// The leaf of the log's Merkle tree: 32 bytes.
    package let leafHash: [UInt8]
    /// The personal values, in the order in which the record commits to them.
    package let personal: [SealedValue]

    package init(bytes: [UInt8], leafHash: [UInt8], personal: [SealedValue]) {
        (self.bytes, self.leafHash, self.personal) = (bytes, leafHash, personal)
    }
}

/// A record read back from its bytes.
package struct DecodedRecord: Hashable, Sendable {
    /// Personal values that were not to be had are `nil`, and `.withheld` inside the details.
    package let record: AccessRecord
    /// Every commitment in the record, in its order.
    package let commitments: [PersonalCommitment]
    /// The fields whose values were not to be had: erased, or kept from this reader.
    package let withheld: [String]

    package init(record: AccessRecord, commitments: [PersonalCommitment], withheld: [String]) {
        (self.record, self.commitments, self.withheld) = (record, commitments, withheld)
    }
}
