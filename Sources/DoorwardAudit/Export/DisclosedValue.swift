import Crypto

/// A personal value of a record with its salt, with which anyone can check that the record commits to it.
package struct DisclosedValue: Hashable, Sendable {
    /// The value.
    package let value: String
    /// The salt of the commitment.
    package let salt: Digest32
    /// The commitment that value and salt were verified against, so that they need not be verified again; `nil` if they were not.
    let verified: Digest32?

    package init(value: String, salt: Digest32) { (self.value, self.salt, verified) = (value, salt, nil) }

    /// - Parameter verified: the commitment to this value with this salt.
    fileprivate init(value: String, salt: Digest32, verified: Digest32) {
        (self.value, self.salt, self.verified) = (value, salt, verified)
    }
}

extension PersonalCommitment {
    /// Decrypts the value, derives its salt, and verifies both against the commitment.
    ///
    /// - Parameter candidate: a value that is disclosed without decrypting if the commitment is to it.
    package func disclosed(
        _ sealed: ArraySlice<UInt8>, under key: PersonKey, candidate: String? = nil
    ) throws(PersonalValueError) -> DisclosedValue {
        let salt = place.salt(under: key)
        func matching(_ value: String) -> DisclosedValue? {
            guard PersonalFieldPath.commitment(to: value, in: place.field, salt: salt) == commitment else { return nil }
            return DisclosedValue(value: value, salt: salt, verified: commitment)
        }
        if let candidate, let disclosed = matching(candidate) { return disclosed }
        guard let disclosed = matching(try place.open(sealed, under: key)) else {
            throw .commitmentMismatch(field: place.field)
        }
        return disclosed
    }
}

/// A record as an export contains it: the bytes, and the personal values that the reader may see.
package struct DisclosedRecord: Hashable, Sendable {
    /// The record's number in the log.
    package let seq: UInt64
    /// The canonical bytes.
    package let bytes: [UInt8]
    /// The stored leaf hash.
    package let leafHash: Digest32
    /// The values of the record's commitments in the order of the record; `nil` for one that is erased or withheld.
    package let personal: [DisclosedValue?]

    package init(seq: UInt64, bytes: [UInt8], leafHash: Digest32, personal: [DisclosedValue?]) {
        (self.seq, self.bytes, self.leafHash, self.personal) = (seq, bytes, leafHash, personal)
    }
}
