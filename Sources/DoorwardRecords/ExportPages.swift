internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel

/// The records of an export, page by page in their order.
protocol ExportPages: Sendable {
    associatedtype Page: Sendable

    /// Whether the last page was read.
    var isAtEnd: Bool { get }

    /// Reads the next page, which may be empty.
    mutating func next() async throws -> Page
}

/// Where the records of an export are read, and on whose behalf.
struct ExportRecords: Sendable {
    let store: any AccessLogStore
    let reader: ListReader
}

/// Reads each page while the previous one is sent; never holds more than one page. A failed read is thrown when
/// its page is requested.
struct ReadAhead<Pages: ExportPages>: ExportPages {
    private var pages: Pages
    /// The read of the page that is requested next, with the pages after it.
    private var following: Task<(Pages.Page, Pages), any Error>?

    init(_ pages: Pages) { self.pages = pages }

    /// Whether the last page was returned.
    var isAtEnd: Bool { pages.isAtEnd }

    /// Returns the next page, and begins to read the one after it.
    mutating func next() async throws -> Pages.Page {
        let reading = following ?? Self.read(pages)
        let (page, rest) = try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
        pages = rest
        following = rest.isAtEnd ? nil : Self.read(rest)
        return page
    }

    private static func read(_ pages: Pages) -> Task<(Pages.Page, Pages), any Error> {
        Task {
            var pages = pages
            let page = try await pages.next()
            return (page, pages)
        }
    }
}

/// Selected records, oldest first.
struct RecordPages: ExportPages {
    private let records: ExportRecords
    private var query: RecordQuery
    private let untilSeq: UInt64?
    private(set) var isAtEnd = false

    init(_ records: ExportRecords, _ scopes: [RecordScope], _ filter: RecordFilter, _ fromSeq: UInt64?, _ untilSeq: UInt64?) {
        (self.records, self.untilSeq) = (records, untilSeq)
        query = RecordQuery(scopes: scopes, filter: filter, order: .oldestFirst, limit: 256, reader: records.reader)
        if let log = filter.log, let fromSeq, fromSeq > 0 {
            // The position of a record in its own log is determined by its number.
            query.after = RecordPosition(log: log, seq: fromSeq - 1, at: filter.from ?? Timestamp(milliseconds: 0))
        }
    }

    mutating func next() async throws -> [AccessRecord] {
        let page = try await records.store.page(query)
        (query.after, isAtEnd) = (page.next, page.next == nil)
        guard let untilSeq, let end = page.records.firstIndex(where: { $0.seq >= untilSeq }) else { return page.records }
        isAtEnd = true
        return Array(page.records[..<end])
    }
}

/// A record with the hashes that prove it.
struct ProvenRecord: Sendable {
    let record: SealedRecord
    let proof: [Digest32]
}

/// Decrypts and formats the records of exports, on threads that let commands go first.
enum ExportLines {
    private static let executors = ExecutorGroup("export", yieldsToCommands: true)
    /// The number of records of a chunk of about 200 KiB, which occupies a thread for one or two milliseconds.
    private static let share = 128

    /// The lines of a page, in chunks.
    static func format(_ page: [ProvenRecord], of log: LogID) async throws -> [[UInt8]] {
        try await withThrowingTaskGroup(of: (index: Int, lines: [UInt8]).self) { group in
            let count = (page.count + share - 1) / share
            for index in 0..<count {
                let part = page[index * share..<min((index + 1) * share, page.count)]
                group.addTask(executorPreference: executors.next()) {
                    try Task.checkCancellation()
                    var writer = ExportWriter(log: log, byteCount: part.reduce(0) { $0 + $1.record.bytes.count })
                    for proven in part { try writer.add(proven.record.disclosed(), proof: proven.proof) }
                    return (index, writer.take())
                }
            }
            return try await group.reduce(into: Array(repeating: [], count: count)) {
                $0[$1.index] = $1.lines
            }
        }
    }
}

/// All records of a range.
struct CompletePages: ExportPages {
    private var rest: Range<UInt64>
    private var proofs: ExportProofs
    private var plan: ExportProof.Plan

    /// - Parameter size: the number of records under the checkpoint.
    init(_ range: Range<UInt64>, proofs: ExportProofs, size: UInt64) {
        (rest, self.proofs, plan) = (range, proofs, ExportProof.Plan(size: size, isComplete: true))
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() async throws -> [ProvenRecord] {
        let end = min(rest.upperBound, (rest.lowerBound / ExportLimits.page + 1) * ExportLimits.page)
        let records = try await proofs.records([rest.lowerBound..<end], upTo: ExportLimits.pageByteCount)
        // The retention may have removed records since the export began.
        guard let last = records.last, last.seq == rest.lowerBound + UInt64(records.count) - 1 else {
            throw ExportFailure.recordsRemoved
        }
        rest = last.seq + 1..<rest.upperBound
        let siblings = records.map { plan.siblings(of: $0.seq) }
        let roots = ExportProof.Roots(first: records.first?.seq ?? 0, leafHashes: records.map(\.leafHash))
        return zip(records, try await proofs.hashes(of: siblings, in: roots)).map(ProvenRecord.init)
    }
}

/// Selected records of one log, each with its whole proof.
struct SelectedPages: ExportPages {
    private var selected: RecordPages
    private var proofs: ExportProofs
    private var plan: ExportProof.Plan

    /// - Parameter size: the number of records under the checkpoint.
    init(_ selected: RecordPages, proofs: ExportProofs, size: UInt64) {
        (self.selected, self.proofs, plan) = (selected, proofs, ExportProof.Plan(size: size, isComplete: false))
    }

    var isAtEnd: Bool { selected.isAtEnd }

    mutating func next() async throws -> [ProvenRecord] {
        let seqs = try await selected.next().map(\.seq)
        guard !seqs.isEmpty else { return [] }
        let found = try await proofs.records(Self.ranges(of: seqs))
        guard found.count == seqs.count else { throw ExportFailure.recordsRemoved }
        let hashes = try await proofs.hashes(of: found.map { plan.siblings(of: $0.seq) })
        return zip(found, hashes).map(ProvenRecord.init)
    }

    /// The ranges of adjacent numbers, which are in order.
    static func ranges(of seqs: [UInt64]) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for seq in seqs {
            if let last = ranges.last, last.upperBound == seq {
                ranges[ranges.count - 1] = last.lowerBound..<seq + 1
            } else {
                ranges.append(seq..<seq + 1)
            }
        }
        return ranges
    }
}

/// Reads records and the hashes of their proofs, those of large subtrees once.
struct ExportProofs: Sendable {
    private let source: ExportRecords
    private let log: LogID
    /// The hashes of subtrees with many leaves, which the proofs of adjacent records share.
    private var known: [Range<UInt64>: Digest32] = [:]

    /// The number of leaves from which a hash is kept.
    private static let minLeaves = 256
    private static let maxKnown = 4096

    init(_ source: ExportRecords, log: LogID) { (self.source, self.log) = (source, log) }

    /// Reads the records of the ranges; see `AccessLogStore.sealedRecords`.
    func records(_ ranges: [Range<UInt64>], upTo byteCount: Int = .max) async throws(StoreError) -> [SealedRecord] {
        try await source.store.sealedRecords(ranges, of: log, for: source.reader, upTo: byteCount)
    }

    /// The hashes of the siblings of some records.
    ///
    /// - Parameter roots: of leaves whose hashes are known already.
    mutating func hashes(
        of siblings: [[ExportProof.Sibling]], in roots: ExportProof.Roots = ExportProof.Roots(first: 0, leafHashes: [])
    ) async throws -> [[Digest32]] {
        if known.count > Self.maxKnown { known = [:] }
        var (roots, page, missing): (_, [Range<UInt64>: Digest32], Set<Range<UInt64>>) = (roots, [:], [])
        func hash(_ range: Range<UInt64>) -> Digest32? { roots.root(of: range) ?? known[range] ?? page[range] }
        for sibling in siblings.joined() where hash(sibling.range) == nil { missing.insert(sibling.range) }
        if !missing.isEmpty {
            let plan = missing.map { MerkleProof.subtrees($0) }
            guard let found = try await LogProofs(log: source.store).hashes(plan, of: log, for: source.reader) else {
                throw ExportFailure.treeIncomplete
            }
            // The order of a set stays the same as long as it is not changed.
            for (range, hash) in zip(missing, found) {
                if range.count >= Self.minLeaves { known[range] = Digest32(hash) } else { page[range] = Digest32(hash) }
            }
        }
        return try siblings.map { path in
            let hashes = path.compactMap { hash($0.range) }
            guard hashes.count == path.count else { throw ExportFailure.treeIncomplete }
            return hashes
        }
    }
}
