internal import DoorwardAudit
internal import DoorwardDomain

/// The records of an export, page by page in their order.
protocol ExportPages: Sendable {
    associatedtype Page: Sendable

    /// Whether the last page was read.
    var isAtEnd: Bool { get }

    /// Reads the next page, which may be empty.
    mutating func next() async throws -> Page

    /// The same pages, without what was read ahead of them.
    func withoutReadAhead() -> Self
}

extension ExportPages {
    func withoutReadAhead() -> Self { self }
}

/// Where the records of an export are read, and on whose behalf.
struct ExportRecords: Sendable {
    let store: any AccessLogStore
    let reader: ListReader
    /// The number of erasures so far.
    let erasures: @Sendable () -> UInt64
}

/// Reads each page while the one before is used: one page is held, whatever the time until it is requested. A failed read is thrown
/// when its page is requested. What is read ahead is cancelled when the value is released, and read again if personal values were
/// erased before it is returned. A read-ahead of a read-ahead holds two pages.
struct ReadAhead<Pages: ExportPages>: ExportPages {
    private var pages: Pages
    private var following: Reading?
    private let erasures: @Sendable () -> UInt64

    /// - Parameter erasures: the number of erasures so far.
    init(_ pages: Pages, erasures: @escaping @Sendable () -> UInt64) { (self.pages, self.erasures) = (pages, erasures) }

    /// Whether the last page was returned.
    var isAtEnd: Bool { pages.isAtEnd }

    func withoutReadAhead() -> Self { Self(pages.withoutReadAhead(), erasures: erasures) }

    /// Returns the next page, and begins to read the one after it.
    mutating func next() async throws -> Pages.Page {
        while true {
            let count = erasures()
            let reading = following.flatMap { $0.erasures == count ? $0 : nil } ?? Reading(pages, erasures: count)
            following = nil
            let (page, rest) = try await reading.result.value
            guard erasures() == count else { continue }
            pages = rest
            following = rest.isAtEnd ? nil : Reading(rest, erasures: count)
            return page
        }
    }

    /// The read of one page.
    private struct Reading: Sendable {
        /// The number of erasures before the read began.
        let erasures: UInt64
        /// The page, and the pages after it.
        let result: OwnedTask<(Pages.Page, Pages)>

        init(_ pages: Pages, erasures: UInt64) {
            self.erasures = erasures
            result = OwnedTask {
                var pages = pages
                let page = try await pages.next()
                return (page, pages)
            }
        }
    }
}

/// A task that is cancelled when it is released, and when the task that waits for its value is cancelled.
final class OwnedTask<Value: Sendable>: Sendable {
    private let task: Task<Value, any Error>

    init(executor: (any TaskExecutor)? = nil, _ operation: @escaping @Sendable () async throws -> Value) {
        task = Task(executorPreference: executor, operation: operation)
    }

    deinit { task.cancel() }

    var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
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
        query = RecordQuery(scopes: scopes, filter: filter, order: .oldestFirst, limit: 256)
        query.reader = records.reader
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

/// Computes the lines of exports.
private let exportExecutors = ExecutorGroup("export", yieldsToCommands: true)

/// The lines of records, in chunks that are formatted while the pages after them are read. So the executors always have lines to format,
/// and none of them waits for the last chunk of a page. The last page has the last line of the export.
struct LinePages<Records: ExportPages>: ExportPages where Records.Page == [ProvenRecord] {
    private var records: Records
    private let log: LogID
    private let erasures: @Sendable () -> UInt64
    private var count: UInt64 = 0
    /// The values that the lines before had, and the number of erasures before they were read; `nil` before the first page.
    private var known: (values: KnownValues, erasures: UInt64)?

    /// The number of records that one task decrypts and formats, which takes one or two milliseconds. Their lines are a chunk of about
    /// 200 KiB.
    private static var recordsPerTask: Int { 128 }

    /// - Parameter erasures: the number of erasures so far.
    init(_ records: Records, log: LogID, erasures: @escaping @Sendable () -> UInt64) {
        (self.records, self.log, self.erasures) = (records, log, erasures)
    }

    var isAtEnd: Bool { records.isAtEnd }

    func withoutReadAhead() -> Self {
        var pages = self
        pages.records = records.withoutReadAhead()
        return pages
    }

    mutating func next() async throws -> [OwnedTask<[UInt8]>] {
        let erasures = erasures()
        let known = known.flatMap { $0.erasures == erasures ? $0.values : nil } ?? KnownValues()
        self.known = (known, erasures)
        let page = try await records.next()
        let chunks = page.startTransforming(share: Self.recordsPerTask, on: exportExecutors) { [log] part in
            var writer = ExportWriter(log: log, byteCount: part.reduce(0) { $0 + $1.record.bytes.count })
            for proven in part { try writer.add(proven.record.disclosed(known), proof: proven.proof) }
            return writer.take()
        }
        count += UInt64(page.count)
        return isAtEnd ? chunks + [OwnedTask { [count] in ExportWriter.lastLine(count: count) }] : chunks
    }
}

extension Array where Element: Sendable {
    /// Begins to transform parts of the array at the same time, and returns their tasks in order.
    ///
    /// - Parameter share: the number of elements that one task transforms. A task occupies an executor without interruption.
    func startTransforming<Transformed: Sendable>(
        share: Int, on executors: ExecutorGroup,
        _ transform: @escaping @Sendable (ArraySlice<Element>) throws -> Transformed
    ) -> [OwnedTask<Transformed>] {
        stride(from: 0, to: count, by: share).map { start in
            let part = self[start..<Swift.min(start + share, count)]
            return OwnedTask(executor: executors.next()) {
                // Skips the lines of an export that has ended.
                try Task.checkCancellation()
                return try transform(part)
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
