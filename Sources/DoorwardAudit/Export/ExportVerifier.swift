import DoorwardDomain

/// Verifies an export without the gateway, block by block. The expected log and keys come from the verifier's user, never from the
/// export.
///
/// The blocks are read on several cores; the result is that of the lines in order.
package struct ExportVerifier: Sendable {
    /// The result for an export that has no fault.
    package struct Verdict: Hashable, Sendable {
        /// The first line.
        package let header: ExportHeader
        /// The checkpoint in the header.
        package let checkpoint: Checkpoint
        /// The number of records.
        package let count: UInt64
        /// For each checkpoint to compare with, whether it agrees with the export.
        package let comparisons: [Comparison]
    }

    /// How another checkpoint of the log relates to an export.
    package enum Comparison: Hashable, Sendable {
        /// The records under this checkpoint are those of the export's checkpoint.
        case consistent
        /// The records under this checkpoint were changed later, or belong to another log.
        case changed
        /// The export is older than the checkpoint.
        case newer
        /// The export does not have the records with which to compare.
        case notComparable
    }

    private let origin: String
    private let keys: [VerifierKey]
    private let others: [Checkpoint]
    private let width: Int

    private var rest: [UInt8] = []
    /// Blocks that are being read, the oldest first; at most as many as there are cores to use.
    private var inFlight: [Task<[ExportLine], Never>] = []
    private var lineCount = 0
    private var state: State?
    private var end: UInt64?

    /// The values of the header, and the state after the records so far.
    private struct State {
        let header: ExportHeader
        let checkpoint: Checkpoint
        var subtrees: AuthenticatedSubtrees
        var count: UInt64 = 0
        var last: (seq: UInt64, at: Int64)?
        /// The tree up to the last record, as long as there are checkpoints to compare with.
        var frontier: MerkleFrontier?
        var comparisons: [Comparison?]
    }

    /// - Parameters:
    ///   - origin: the expected origin of the log.
    ///   - keys: the expected keys, at least one.
    ///   - others: verified checkpoints of the same log that the export is compared with.
    ///   - width: the number of cores to use.
    package init(origin: String, keys: [VerifierKey], comparingWith others: [Checkpoint] = [], width: Int = 1) {
        (self.origin, self.keys, self.others, self.width) = (origin, keys, others, max(1, width))
    }

    /// Verifies the next bytes of the file.
    ///
    /// - Throws: `ExportFault`, the first one of the file; do not continue then. With several cores, a fault may be thrown by a later
    ///   call than the one that adds its line.
    package mutating func add(_ block: [UInt8]) async throws {
        guard let firstBreak = block.firstIndex(of: Self.lineBreak), let lastBreak = block.lastIndex(of: Self.lineBreak) else {
            rest += block
            guard rest.count <= Self.maxLineBytes else { throw fault(.malformed) }
            return
        }
        // Only a line that begins in the previous block is copied.
        var first = rest + block[..<firstBreak]
        rest = Array(block[(lastBreak + 1)...])
        var start = firstBreak + 1
        if state == nil {
            try begin(first)
            guard start <= lastBreak else { return }
            let end = block[start...].firstIndex(of: Self.lineBreak) ?? lastBreak
            (first, start) = (Array(block[start..<end]), end + 1)
        }
        guard let log = state?.header.log else { return }
        guard width > 1 else { return try add(Self.lines(first, block, start..<lastBreak + 1, log)) }
        inFlight.append(Task { [first, start] in Self.lines(first, block, start..<lastBreak + 1, log) })
        if inFlight.count > width { try await addOldest() }
    }

    /// Verifies the end of the file.
    ///
    /// - Throws: `ExportFault`.
    package mutating func finish() async throws -> Verdict {
        while !inFlight.isEmpty { try await addOldest() }
        guard let state, let end, rest.isEmpty else { throw fault(end == nil ? .incomplete : .afterTheEnd) }
        // A line after the last one is rejected when it is added.
        return Verdict(
            header: state.header, checkpoint: state.checkpoint, count: end,
            comparisons: zip(state.comparisons, others).map { comparison, other in
                comparison ?? (other.size > state.checkpoint.size ? .newer : .notComparable)
            })
    }

    /// The number of records verified so far.
    package var count: UInt64 { state?.count ?? 0 }

    /// The number of records in a complete export; `nil` before the header is read, and for a partial export.
    package var total: Int? { state?.header.range?.count }

    private static let lineBreak = UInt8(ascii: "\n")
    /// The length up to which a line is read. The record in it has at most 64 KiB.
    private static let maxLineBytes = 4 * 1024 * 1024

    // MARK: - Lines

    /// Reads and verifies lines, each on its own: a first one without its line break, and those in a range of a block.
    private static func lines(_ first: [UInt8], _ block: [UInt8], _ range: Range<Int>, _ log: LogID) -> [ExportLine] {
        var reader = ExportLine.Reader(log: log)
        var found = [first.withUnsafeBufferPointer { reader.line($0) }]
        block.withUnsafeBufferPointer { block in
            var start = range.lowerBound
            while start < range.upperBound {
                let rest = UnsafeBufferPointer(rebasing: block[start..<range.upperBound])
                let end = start + (rest.firstOffset(of: lineBreak) ?? rest.count)
                found.append(reader.line(UnsafeBufferPointer(rebasing: block[start..<end])))
                start = end + 1
            }
        }
        return found
    }

    // MARK: - In order

    private mutating func addOldest() async throws { try add(await inFlight.removeFirst().value) }

    private mutating func add(_ lines: [ExportLine]) throws {
        for line in lines { try add(line) }
    }

    private mutating func begin(_ line: [UInt8]) throws {
        guard let header = ExportHeader(parsing: line) else { throw fault(.malformed) }
        guard let key = VerifierKey(parsing: header.publicKey), keys.contains(key) else { throw fault(.otherKey) }
        let checkpoint: Checkpoint
        do throws(CheckpointFault) {
            checkpoint = try Checkpoint.verified(header.checkpoint, origin: origin, keys: [key])
        } catch {
            throw fault(.checkpoint(error))
        }
        guard LogOrigin(parsing: origin)?.log == header.log else { throw fault(.otherLog) }
        guard let root = Digest32(checkpoint.root), header.range.map({ $0.upperBound <= checkpoint.size }) ?? true else {
            throw fault(.malformed)
        }
        let subtrees = AuthenticatedSubtrees(size: checkpoint.size, root: root, isComplete: header.isComplete)
        let comparisons = others.map { other -> Comparison? in
            if other.size == checkpoint.size { return other.root == checkpoint.root ? .consistent : .changed }
            return nil
        }
        state = State(header: header, checkpoint: checkpoint, subtrees: subtrees, comparisons: comparisons)
        lineCount = 1
    }

    private mutating func add(_ line: ExportLine) throws {
        guard end == nil else { throw fault(.afterTheEnd) }
        guard var state = state.take() else { return }
        defer { self.state = state }
        switch line {
        case .fault(let problem, let seq): throw fault(problem, seq: expected(state) ?? seq)
        case .end(let count):
            guard count == state.count else { throw fault(.wrongCount(count)) }
            if let range = state.header.range, state.count < range.count { throw fault(.incomplete) }
            end = count
        case .record(let seq, let at, let leaf, let proof):
            if let range = state.header.range, state.count >= range.count { throw fault(.afterTheEnd) }
            if let expected = expected(state), expected != seq { throw fault(.wrongSeq(seq), seq: expected) }
            if let last = state.last {
                guard seq > last.seq else { throw fault(.wrongSeq(seq), seq: seq) }
                guard at >= last.at else { throw fault(.earlierThanTheOneBefore, seq: seq) }
            }
            guard state.subtrees.accepts(seq, leaf, proof: proof) else { throw fault(.notIncluded, seq: seq) }
            compare(seq, leaf, proof, &state)
            state.last = (seq, at)
            state.count += 1
        }
        lineCount += 1
    }

    private func expected(_ state: State) -> UInt64? { state.header.range.map { $0.lowerBound + state.count } }

    private func fault(_ problem: ExportFault.Problem, seq: UInt64? = nil) -> ExportFault {
        ExportFault(line: lineCount + 1, seq: seq, problem: problem)
    }

    /// Compares the tree up to this record with the other checkpoints.
    private func compare(_ seq: UInt64, _ leaf: Digest32, _ proof: [Digest32], _ state: inout State) {
        guard state.header.isComplete, others.contains(where: { seq <= $0.size }) else { return }
        if state.frontier == nil {
            let left = AuthenticatedSubtrees.leftHashes(of: seq, size: state.checkpoint.size, proof: proof)
            state.frontier = MerkleFrontier(size: seq, hashes: left.map(\.bytes))
            compareRoot(&state)
        }
        state.frontier?.append(leafHash: leaf.bytes)
        compareRoot(&state)
    }

    private func compareRoot(_ state: inout State) {
        guard let frontier = state.frontier else { return }
        for (index, other) in others.enumerated() where other.size == frontier.size && state.comparisons[index] == nil {
            state.comparisons[index] = other.root == frontier.root ? .consistent : .changed
        }
    }
}

/// The structure of the proofs in an export: the path of a leaf within a subtree whose hash is already authenticated.
package enum ExportProof {
    /// The sibling of a node on the path from a leaf to the root.
    package struct Sibling: Hashable, Sendable {
        /// The leaves under the sibling.
        package let range: Range<UInt64>
        /// Whether the sibling is to the right of the path.
        package let isRight: Bool
    }

    /// The siblings on the path from leaf `index` to the top of the subtree over `range`, the lowest first.
    ///
    /// - Parameter range: the leaves of the whole tree, or of a subtree of its decomposition.
    package static func siblings(of index: UInt64, in range: Range<UInt64>) -> [Sibling] {
        var (range, siblings) = (range, [Sibling]())
        while range.upperBound - range.lowerBound > 1 {
            let split = range.lowerBound + MerkleProof.largestPowerOfTwo(below: range.upperBound - range.lowerBound)
            let isLeft = index < split
            siblings.append(Sibling(range: isLeft ? split..<range.upperBound : range.lowerBound..<split, isRight: isLeft))
            range = isLeft ? range.lowerBound..<split : split..<range.upperBound
        }
        return siblings.reversed()
    }

    /// The hash at the top of the path from a leaf; `nil` if the proof does not have one hash for each sibling.
    static func root(_ leaf: Digest32, _ siblings: [Sibling], _ proof: [Digest32]) -> Digest32? {
        guard siblings.count == proof.count else { return nil }
        return zip(siblings, proof).reduce(leaf) { hash, step in
            step.0.isRight ? Digest32(left: hash, right: step.1) : Digest32(left: step.1, right: hash)
        }
    }

    /// The hashes in the line of each record of an export, as the ranges of leaves that they cover.
    ///
    /// The first record of a complete export has a complete proof of inclusion. The hashes of this proof authenticate the parts of
    /// the tree that follow, so each further record has only the path within the part that it begins. On average this is one
    /// hash for each record.
    package struct Plan: Sendable {
        private var pending: [Range<UInt64>]
        private let size: UInt64
        private let isComplete: Bool

        /// - Parameters:
        ///   - size: the number of records under the checkpoint.
        ///   - isComplete: whether every record follows the one before without a gap.
        package init(size: UInt64, isComplete: Bool) { (self.size, self.isComplete, pending) = (size, isComplete, [0..<size]) }

        /// The siblings for the next record.
        package mutating func siblings(of index: UInt64) -> [Sibling] {
            guard isComplete else { return ExportProof.siblings(of: index, in: 0..<size) }
            guard let range = pending.popLast() else { return [] }
            let siblings = ExportProof.siblings(of: index, in: range)
            pending.append(contentsOf: siblings.reversed().filter(\.isRight).map(\.range))
            return siblings
        }
    }
}

extension ExportProof {
    /// The roots over ranges of adjacent leaves. As long as all ranges belong to one tree, each of its nodes is computed once.
    package struct Roots {
        private let leaves: Range<UInt64>
        private let hashes: [Digest32]
        /// The nodes that were computed, indexed by the first leaf of their right half, which differs for all nodes of one tree.
        private var computed: [(range: Range<UInt64>, hash: Digest32)?]

        /// - Parameter first: the number of the first leaf.
        package init(first: UInt64, leafHashes: [Digest32]) {
            (leaves, hashes) = (first..<first + UInt64(leafHashes.count), leafHashes)
            computed = Array(repeating: nil, count: leafHashes.count)
        }

        /// The root over a range of the decomposition of a tree; `nil` unless all its leaves are known.
        package mutating func root(of range: Range<UInt64>) -> Digest32? {
            guard leaves.lowerBound <= range.lowerBound, range.upperBound <= leaves.upperBound, !range.isEmpty else { return nil }
            return node(range)
        }

        private mutating func node(_ range: Range<UInt64>) -> Digest32 {
            let count = range.upperBound - range.lowerBound
            if count == 1 { return hashes[Int(range.lowerBound - leaves.lowerBound)] }
            let split = range.lowerBound + MerkleProof.largestPowerOfTwo(below: count)
            let index = Int(split - leaves.lowerBound)
            if let node = computed[index], node.range == range { return node.hash }
            let hash = Digest32(left: node(range.lowerBound..<split), right: node(split..<range.upperBound))
            computed[index] = (range, hash)
            return hash
        }
    }
}

/// Verifies the records of an export one by one against the root of a signed checkpoint. A record is accepted only if it is the
/// record with this number in the log, so the first record that is rejected is the first that is wrong.
struct AuthenticatedSubtrees {
    private struct Subtree {
        let range: Range<UInt64>
        let hash: Digest32
    }

    private let whole: Subtree
    private let isComplete: Bool
    private var pending: [Subtree]

    init(size: UInt64, root: Digest32, isComplete: Bool) {
        whole = Subtree(range: 0..<size, hash: root)
        (self.isComplete, pending) = (isComplete, [whole])
    }

    /// The hashes to the left of a leaf in a complete proof, the largest subtree first: the frontier of the tree before the leaf.
    static func leftHashes(of index: UInt64, size: UInt64, proof: [Digest32]) -> [Digest32] {
        zip(ExportProof.siblings(of: index, in: 0..<size), proof).filter { !$0.0.isRight }.map(\.1).reversed()
    }

    /// - Returns: whether the leaf is in the tree. If it is not, the state is unchanged.
    mutating func accepts(_ index: UInt64, _ leaf: Digest32, proof: [Digest32]) -> Bool {
        guard let subtree = isComplete ? pending.last : whole, subtree.range.contains(index) else { return false }
        // The first record of the export may be anywhere, each further one is the first leaf of its part.
        guard !isComplete || pending.count == 1 && subtree.range == whole.range || subtree.range.lowerBound == index else {
            return false
        }
        let siblings = ExportProof.siblings(of: index, in: subtree.range)
        guard ExportProof.root(leaf, siblings, proof) == subtree.hash else { return false }
        guard isComplete else { return true }
        pending.removeLast()
        for (sibling, other) in zip(siblings, proof).reversed() where sibling.isRight {
            pending.append(Subtree(range: sibling.range, hash: other))
        }
        return true
    }
}

/// The first fault of an export.
package struct ExportFault: Error, Equatable, Sendable {
    /// The line with the fault, from 1; the first line is the header.
    package let line: Int
    /// The number that the record in this line has or, in a complete export, should have; `nil` if the line is not one of a record.
    package let seq: UInt64?
    /// The kind of the fault.
    package let problem: Problem

    package init(line: Int, seq: UInt64? = nil, problem: Problem) { (self.line, self.seq, self.problem) = (line, seq, problem) }

    /// The kinds of faults of an export.
    package enum Problem: Error, Equatable, Sendable {
        /// The line does not have the form of its place in the file.
        case malformed
        /// The checkpoint in the header is rejected.
        case checkpoint(CheckpointFault)
        /// The key in the header is not one of the expected keys.
        case otherKey
        /// The header or the record belongs to another log.
        case otherLog
        /// The bytes are not a record of version 1.
        case notARecord
        /// The record has this `seq`: a record is missing, duplicated or out of place.
        case wrongSeq(UInt64)
        /// The leaf hash is not that of the bytes.
        case wrongLeafHash
        /// A personal value does not match its commitment in the record, or there are too many or too few values.
        case wrongPersonalValue
        /// The decoded fields are not those of the bytes.
        case wrongFields
        /// The record's `at` is earlier than that of the record before.
        case earlierThanTheOneBefore
        /// The log of the checkpoint has another record with this number.
        case notIncluded
        /// The last line has this other number of records.
        case wrongCount(UInt64)
        /// There is a line after the last one.
        case afterTheEnd
        /// The file ends too early: records may be missing at the end.
        case incomplete
    }

    /// Whether records are missing only at the end, and those that are there are genuine.
    package var isIncomplete: Bool { problem == .incomplete }
}
