import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Records whose personal values are decrypted after they were read.
@Suite struct SealedRecordTests {
    /// Changes one of the values of a record; the parameters are those of the value.
    private typealias Change = (PersonalCommitment, _ ciphertext: ArraySlice<UInt8>, PersonKey) throws -> SealedRecord.Value?

    /// A record with four personal values.
    ///
    /// - Parameters:
    ///   - changed: the value that is changed; `nil` for none.
    ///   - change: returns the value in its place.
    private func record(changing changed: Int? = nil, _ change: Change = { _, _, _ in nil }) throws -> SealedRecord {
        let body = Samples.outcome()
        let encoded = try Samples.encode(body, seq: 7)
        let commitments = try RecordEncoding.commitments(in: encoded.bytes)
        let values = try zip(commitments, encoded.personal).enumerated().map { index, value -> SealedRecord.Value? in
            let (commitment, ciphertext) = (value.0, value.1.ciphertext[...])
            let key = try Samples.key(body.log, commitment.owner)
            if index == changed { return try change(commitment, ciphertext, key) }
            return SealedRecord.Value(commitment: commitment, ciphertext: ciphertext, key: key)
        }
        return SealedRecord(seq: 7, bytes: encoded.bytes, leafHash: Digest32(leaf: encoded.bytes), values: values)
    }

    private static let values = ["Ada Lovelace", "203.0.113.7", "Parcel", "Fire drill"]

    @Test("all values are disclosed in the order of the record, which is unchanged otherwise")
    func whole() throws {
        let (sealed, disclosed) = (try record(), try record().disclosed())
        #expect(disclosed.personal.map { $0?.value } == Self.values)
        #expect(disclosed.seq == 7 && disclosed.bytes == sealed.bytes && disclosed.leafHash == sealed.leafHash)
        let commitments = try RecordEncoding.commitments(in: disclosed.bytes)
        for (commitment, value) in zip(commitments, disclosed.personal) {
            let value = try #require(value)
            #expect(commitment.holds(for: value.value, salt: value.salt))
        }
    }

    @Test("a value that is absent, altered, of another place or under another key is omitted, and no other", arguments: 0..<4)
    func omitted(index: Int) throws {
        let other = try Samples.encode(Samples.outcome(id: 17), seq: 8).personal
        let changes: [Change] = [
            { _, _, _ in nil },
            { commitment, ciphertext, key in
                var altered = ciphertext
                altered[altered.endIndex - 1] ^= 1
                return SealedRecord.Value(commitment: commitment, ciphertext: altered, key: key)
            },
            { commitment, _, key in SealedRecord.Value(commitment: commitment, ciphertext: [], key: key) },
            { commitment, _, key in
                SealedRecord.Value(commitment: commitment, ciphertext: other[index].ciphertext[...], key: key)
            },
            { commitment, ciphertext, _ in
                let key = try Samples.key(Samples.outcome().log, .day("2020-01-01"))
                return SealedRecord.Value(commitment: commitment, ciphertext: ciphertext, key: key)
            },
        ]
        for change in changes {
            let found = try record(changing: index, change).disclosed().personal.map { $0?.value }
            #expect(found == Self.values.enumerated().map { $0 == index ? nil : $1 })
        }
    }
}
