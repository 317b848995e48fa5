internal import DoorwardAudit
internal import DoorwardDomain

/// Computes proofs from the complete subtrees that the store has. The cost grows with the logarithm of the log's size.
struct LogProofs {
    let log: any AccessLogStore

    /// The root over the first `size` records; `nil` if the log has fewer.
    func root(of id: LogID, size: UInt64) async throws(GatewayError) -> [UInt8]? {
        try await hashes([MerkleProof.frontier(size: size)], of: id)?.first
    }

    /// - Returns: `nil` unless `seq` < `size`, and the log has as many records.
    func inclusion(of seq: UInt64, size: UInt64, in id: LogID) async throws(GatewayError) -> [[UInt8]]? {
        guard let plan = MerkleProof.inclusion(of: seq, size: size) else { return nil }
        return try await hashes(plan, of: id)
    }

    /// - Returns: `nil` unless `old` ≤ `new`, and the log has as many records.
    func consistency(from old: UInt64, to new: UInt64, in id: LogID) async throws(GatewayError) -> [[UInt8]]? {
        guard old > 0 else { return [] }
        guard let plan = MerkleProof.consistency(from: old, to: new) else { return nil }
        return try await hashes(plan, of: id)
    }

    /// Reads the planned hashes in one read of the store.
    ///
    /// - Parameter reader: on whose behalf many hashes are read; `nil` for the few of one proof.
    /// - Returns: `nil` if the tree lacks one of them.
    func hashes(
        _ plan: [MerkleProof.PlannedHash], of id: LogID, for reader: ListReader? = nil
    ) async throws(GatewayError) -> [[UInt8]]? {
        let nodes = try await mappingStoreErrors { () throws(StoreError) in
            try await log.nodes(Array(plan.joined()), of: id, for: reader)
        }
        guard var rest = nodes?[...] else { return nil }
        return plan.map { planned in
            defer { rest = rest.dropFirst(planned.count) }
            return MerkleProof.root(of: Array(rest.prefix(planned.count)))
        }
    }
}
