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

extension Array where Element: Sendable {
    /// Transforms the elements on all cores and returns the results in order.
    ///
    /// - Parameter share: the number of elements that one task transforms. A task occupies a core without interruption.
    func concurrentMap<Transformed: Sendable>(
        share: Int, _ transform: @escaping @Sendable (Element) -> Transformed
    ) async -> [Transformed] {
        guard count > share else { return map(transform) }
        return await withTaskGroup(of: (Int, [Transformed]).self) { group in
            for start in stride(from: 0, to: count, by: share) {
                group.addTask { (start, self[start..<Swift.min(start + share, count)].map(transform)) }
            }
            var shares: [Int: [Transformed]] = [:]
            for await (start, transformed) in group { shares[start] = transformed }
            return stride(from: 0, to: count, by: share).flatMap { shares[$0] ?? [] }
        }
    }
}
