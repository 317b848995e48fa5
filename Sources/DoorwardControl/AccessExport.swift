internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardPolicy

/// An export in progress: the chunks of a file. Each chunk is read when it is requested, so a slow reader holds nothing but one
/// chunk. Records that are written meanwhile are not part of the export.
package struct AccessExport: AsyncSequence, Sendable {
    /// The bytes of a chunk.
    package typealias Element = [UInt8]

    /// The logs of an export with its name for a file, such as `doorward-gateway`.
    package let name: String
    private let producer: any ExportProducer

    static func csv(
        _ source: ExportSource, _ scopes: [RecordScope], _ filter: RecordFilter, _ request: ExportRequest,
        zones: @escaping @Sendable (PropertyID) -> String?
    ) -> AccessExport {
        let pages = RecordPages(source, scopes, filter, request.fromSeq, request.untilSeq)
        return AccessExport(name: name(filter.log), producer: CSVExport(pages: pages, zone: zones))
    }

    /// - Parameter size: the number of records under the checkpoint in the header.
    static func bundle(
        _ source: ExportSource, _ header: ExportHeader, size: UInt64, _ scopes: [RecordScope], _ filter: RecordFilter,
        _ request: ExportRequest
    ) async throws(GatewayError) -> AccessExport {
        let proofs = ExportProofs(source: source, log: header.log)
        guard let range = header.range else {
            var filter = filter
            filter.log = header.log
            let pages = RecordPages(source, scopes, filter, request.fromSeq, Swift.min(request.untilSeq ?? size, size))
            return AccessExport(
                name: name(header.log), producer: PartialExport(source, pages: pages, proofs: proofs, header: header, size: size))
        }
        // Records that the retention has removed cannot be exported. The export begins with the first one that is left.
        let kept = try await mappingStoreErrors { () throws(StoreError) in
            try await source.store.range(of: header.log, from: range.lowerBound, limit: 0)?.firstSeq ?? 0
        }
        let first = Swift.max(range.lowerBound, kept)
        guard first < range.upperBound else { throw .invalid("untilSeq", "out_of_range") }
        let present = ExportHeader(
            log: header.log, range: first..<range.upperBound, checkpoint: header.checkpoint, publicKey: header.publicKey)
        return AccessExport(
            name: name(header.log),
            producer: CompleteExport(source, proofs: proofs, header: present, range: first..<range.upperBound, size: size))
    }

    /// The name of the file without its extension; `nil` for several logs.
    static func name(_ log: LogID?) -> String { "doorward-\(log.map(\.description) ?? "logs")" }

    /// Reads the chunks in order.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var producer: any ExportProducer

        /// Reads the next chunk; returns `nil` after the last one.
        package mutating func next() async throws -> [UInt8]? { try await producer.next() }
    }

    /// Begins at the first chunk. An export is read once.
    package func makeAsyncIterator() -> Iterator { Iterator(producer: producer) }
}

private protocol ExportProducer: Sendable {
    mutating func next() async throws -> [UInt8]?
}

/// What all exports read from.
struct ExportSource: Sendable {
    let store: any AccessLogStore
    let reader: ListReader
    let slot: RunningExports.Slot
    /// Throws once the caller may no longer export what the export contains.
    let checkRight: @Sendable () throws -> Void
}

/// Selected records, page by page, oldest first.
struct RecordPages: Sendable {
    private let source: ExportSource
    private var query: RecordQuery
    private let untilSeq: UInt64?
    private(set) var isAtEnd = false

    init(_ source: ExportSource, _ scopes: [RecordScope], _ filter: RecordFilter, _ fromSeq: UInt64?, _ untilSeq: UInt64?) {
        (self.source, self.untilSeq) = (source, untilSeq)
        query = RecordQuery(scopes: scopes, filter: filter, order: .oldestFirst, limit: 256)
        query.reader = source.reader
        if let log = filter.log, let fromSeq, fromSeq > 0 {
            // The position of a record in its own log is determined by its number.
            query.after = RecordPosition(log: log, seq: fromSeq - 1, at: filter.from ?? Timestamp(milliseconds: 0))
        }
    }

    mutating func next() async throws -> [AccessRecord] {
        try source.checkRight()
        let page = try await source.store.page(query)
        (query.after, isAtEnd) = (page.next, page.next == nil)
        guard let untilSeq, let end = page.records.firstIndex(where: { $0.seq >= untilSeq }) else { return page.records }
        isAtEnd = true
        return Array(page.records[..<end])
    }
}

private struct CSVExport: ExportProducer {
    var pages: RecordPages
    let zone: @Sendable (PropertyID) -> String?
    private var csv = RecordCSV()

    init(pages: RecordPages, zone: @escaping @Sendable (PropertyID) -> String?) { (self.pages, self.zone) = (pages, zone) }

    mutating func next() async throws -> [UInt8]? {
        while !pages.isAtEnd, csv.byteCount < ExportLimits.chunk {
            for record in try await pages.next() {
                let zone = record.body.propertyID.flatMap(zone).flatMap { TimeZoneDatabase.system.rules(of: $0) }
                csv.add(record, zone: zone)
            }
        }
        let chunk = csv.take()
        return chunk.isEmpty ? nil : chunk
    }
}

enum ExportLimits {
    /// The size from which a chunk is sent.
    static let chunk = 64 * 1024
    /// The records of a page of a complete export; a multiple of the records of a tile.
    static let page: UInt64 = 512
}

private struct CompleteExport: ExportProducer {
    let source: ExportSource
    var proofs: ExportProofs
    let range: Range<UInt64>
    private var position: UInt64
    private var plan: ExportProof.Plan
    private var writer: ExportWriter
    private var hasEnded = false

    init(_ source: ExportSource, proofs: ExportProofs, header: ExportHeader, range: Range<UInt64>, size: UInt64) {
        (self.source, self.proofs, self.range) = (source, proofs, range)
        position = range.lowerBound
        plan = ExportProof.Plan(size: size, isComplete: true)
        writer = ExportWriter(header)
    }

    mutating func next() async throws -> [UInt8]? {
        while position < range.upperBound, writer.byteCount < ExportLimits.chunk {
            try source.checkRight()
            let page = position..<min(range.upperBound, (position / ExportLimits.page + 1) * ExportLimits.page)
            let records = try await source.store.disclosed([page], of: proofs.log, for: source.reader)
            // The retention may have removed records since the export began.
            guard records.count == page.count else { throw ExportFailure.recordsRemoved }
            let siblings = records.map { plan.siblings(of: $0.seq) }
            let hashes = try await proofs.hashes(of: siblings, leaves: (page, records.map(\.leafHash)))
            for (record, proof) in zip(records, hashes) { try writer.add(record, proof: proof) }
            position = page.upperBound
        }
        if position == range.upperBound, !hasEnded {
            writer.end()
            hasEnded = true
        }
        let chunk = writer.take()
        return chunk.isEmpty ? nil : chunk
    }
}

private struct PartialExport: ExportProducer {
    var pages: RecordPages
    var proofs: ExportProofs
    private var plan: ExportProof.Plan
    private var writer: ExportWriter
    private var hasEnded = false
    private let source: ExportSource

    init(_ source: ExportSource, pages: RecordPages, proofs: ExportProofs, header: ExportHeader, size: UInt64) {
        (self.source, self.pages, self.proofs) = (source, pages, proofs)
        plan = ExportProof.Plan(size: size, isComplete: false)
        writer = ExportWriter(header)
    }

    mutating func next() async throws -> [UInt8]? {
        while !pages.isAtEnd, writer.byteCount < ExportLimits.chunk {
            let seqs = try await pages.next().map(\.seq)
            guard !seqs.isEmpty else { continue }
            let records = try await source.store.disclosed(seqs.map { $0..<$0 + 1 }, of: proofs.log, for: source.reader)
            guard records.count == seqs.count else { throw ExportFailure.recordsRemoved }
            let hashes = try await proofs.hashes(of: records.map { plan.siblings(of: $0.seq) })
            for (record, proof) in zip(records, hashes) { try writer.add(record, proof: proof) }
        }
        if pages.isAtEnd, !hasEnded {
            writer.end()
            hasEnded = true
        }
        let chunk = writer.take()
        return chunk.isEmpty ? nil : chunk
    }
}

/// Why an export ends before its end. The client gets an incomplete file, and the operator's log the reason.
enum ExportFailure: Error {
    /// The retention has removed records of the export.
    case recordsRemoved
    /// The tree of the log lacks a hash.
    case treeIncomplete
}

/// Reads the hashes of proofs, those of large subtrees once.
struct ExportProofs: Sendable {
    let source: ExportSource
    let log: LogID
    /// The hashes of subtrees with many leaves, which the proofs of adjacent records share.
    private var known: [Range<UInt64>: [UInt8]] = [:]

    /// The number of leaves from which a hash is kept.
    private static let minLeaves = 256
    private static let maxKnown = 4096

    init(source: ExportSource, log: LogID) { (self.source, self.log) = (source, log) }

    /// The hashes of the siblings of some records.
    ///
    /// - Parameter leaves: leaf hashes that are known already, and their numbers.
    mutating func hashes(
        of siblings: [[ExportProof.Sibling]], leaves: (range: Range<UInt64>, hashes: [[UInt8]]) = (0..<0, [])
    ) async throws -> [[[UInt8]]] {
        if known.count > Self.maxKnown { known = [:] }
        var page: [Range<UInt64>: [UInt8]] = [:]
        var missing: [Range<UInt64>] = []
        for sibling in siblings.joined() where known[sibling.range] == nil && page[sibling.range] == nil {
            let range = sibling.range
            if leaves.range.lowerBound <= range.lowerBound, range.upperBound <= leaves.range.upperBound {
                let first = Int(range.lowerBound - leaves.range.lowerBound)
                page[range] = MerkleTree.root(ofLeafHashes: Array(leaves.hashes[first..<first + range.count]))
            } else {
                page[range] = []
                missing.append(range)
            }
        }
        let plan = missing.map { MerkleProof.subtrees($0) }
        guard let found = try await LogProofs(log: source.store).hashes(plan, of: log, for: source.reader) else {
            throw ExportFailure.treeIncomplete
        }
        for (range, hash) in zip(missing, found) {
            if range.count >= Self.minLeaves { known[range] = hash }
            page[range] = hash
        }
        return siblings.map { $0.map { page[$0.range] ?? known[$0.range] ?? [] } }
    }
}
