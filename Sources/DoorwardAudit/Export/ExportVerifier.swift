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
        /// The records under this checkpoint were changed later, or are those of another log.
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

    /// What the header determines, and what the records so far are.
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
        // The line that the block before begins is the only one that is copied.
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
        guard let state, let end, rest.isEmpty else {
            if end != nil { throw fault(.afterTheEnd) }
            throw fault(.incomplete)
        }
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
