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

    private func hashes(_ plan: [MerkleProof.PlannedHash], of id: LogID) async throws(GatewayError) -> [[UInt8]]? {
        var hashes: [[UInt8]] = []
        for planned in plan {
            var nodes: [[UInt8]] = []
            for node in planned {
                let hash = try await mappingStoreErrors { () throws(StoreError) in
                    try await log.node(level: node.level, index: node.index, of: id)
                }
                guard let hash else { return nil }
                nodes.append(hash)
            }
            hashes.append(MerkleProof.root(of: nodes))
        }
        return hashes
    }
}
