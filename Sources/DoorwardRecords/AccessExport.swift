internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

/// An export in progress: the chunks of a file. While a page is formatted and sent, the next one is read. Records that
/// are written meanwhile are not part of the export. If personal values are erased in the meantime, the export ends early and incomplete,
/// because data already read may contain them.
package struct AccessExport: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// The bytes of a chunk.
    package typealias Element = [UInt8]

    /// The logs of an export, and the name of its file, such as `doorward-gateway`.
    package let name: String
    private var producer: any ExportProducer

    static func csv(
        _ source: ExportSource, _ scopes: [RecordScope], _ filter: RecordFilter, _ request: ExportRequest,
        zones: @escaping @Sendable (PropertyID) -> String?
    ) -> AccessExport {
        let pages = RecordPages(source.records, scopes, filter, request.fromSeq, request.untilSeq)
        return AccessExport(name: name(filter.log), producer: CSVExport(source, pages: pages, request.separator, zone: zones))
    }

    /// - Parameter size: the number of records under the checkpoint in the header.
    static func bundle(
        _ source: ExportSource, _ header: ExportHeader, size: UInt64, _ scopes: [RecordScope], _ filter: RecordFilter,
        _ request: ExportRequest
    ) async throws(GatewayError) -> AccessExport {
        let proofs = ExportProofs(source.records, log: header.log)
        guard let range = header.range else {
            var filter = filter
            filter.log = header.log
            let selected = RecordPages(source.records, scopes, filter, request.fromSeq, Swift.min(request.untilSeq ?? size, size))
            let pages = SelectedPages(selected, proofs: proofs, size: size)
            return AccessExport(name: name(header.log), producer: BundleExport(source, pages: pages, header: header))
        }
        // Records that the retention has removed cannot be exported. The export begins with the first record that is left.
        let kept = try await mappingStoreErrors(
            await source.records.store.range(of: header.log, from: range.lowerBound, limit: 0)?.firstSeq ?? 0)
        let first = Swift.max(range.lowerBound, kept)
        guard first < range.upperBound else { throw .invalid("untilSeq", "out_of_range") }
        let present = ExportHeader(
            log: header.log, range: first..<range.upperBound, checkpoint: header.checkpoint, publicKey: header.publicKey)
        return AccessExport(
            name: name(header.log),
            producer: BundleExport(
                source, pages: CompletePages(first..<range.upperBound, proofs: proofs, size: size), header: present))
    }

    /// The name of the file without its extension; `nil` for several logs.
    static func name(_ log: LogID?) -> String { "doorward-\(log.map(\.description) ?? "logs")" }

    /// Reads the next chunk; returns `nil` after the last one.
    package mutating func next() async throws -> [UInt8]? { try await producer.next() }

    /// Begins at the first chunk. An export is read once.
    package func makeAsyncIterator() -> AccessExport { self }
}

private protocol ExportProducer: Sendable {
    mutating func next() async throws -> [UInt8]?
}

/// What all exports need while they are in progress.
struct ExportSource: Sendable {
    let records: ExportRecords
    private let storeGuard: StoreGuard
    private let slot: RunningExports.Slot
    /// Throws once the caller may no longer export what the export contains.
    private let checkRight: @Sendable () throws -> Void
    /// The number of erasures before the first read.
    private let erasures: UInt64

    init(
        _ storeGuard: StoreGuard, for reader: ListReader, slot: RunningExports.Slot,
        checkRight: @escaping @Sendable () throws -> Void
    ) {
        records = ExportRecords(store: storeGuard.log, reader: reader)
        (self.storeGuard, self.slot, self.checkRight, erasures) = (storeGuard, slot, checkRight, storeGuard.erasureCount)
    }

    /// Checks whether the data that was read may be sent.
    ///
    /// - Throws: `ExportFailure.erased`; the error of `checkRight`.
    func check() throws {
        try checkRight()
        guard storeGuard.erasureCount == erasures else { throw ExportFailure.erased }
    }
}

enum ExportLimits {
    /// The size from which a chunk is sent.
    static let chunk = 64 * 1024
    /// The maximum number of records of a page, a multiple of 256. Pages of a complete export begin at multiples of 256, the records of a
    /// tile. A large page costs less for each record: its keys are read once, and threads wait for each other less often.
    static let page: UInt64 = 2048
    /// The bytes of records after which a page of a complete export ends early, at a multiple of 256.
    static let pageByteCount = 4 * 1024 * 1024
}

private struct CSVExport: ExportProducer {
    private let source: ExportSource
    private var pages: ReadAhead<RecordPages>
    private let zone: @Sendable (PropertyID) -> String?
    private var csv: RecordCSV

    init(
        _ source: ExportSource, pages: RecordPages, _ separator: ExportRequest.Separator,
        zone: @escaping @Sendable (PropertyID) -> String?
    ) {
        csv = RecordCSV(separator: separator == .comma ? UInt8(ascii: ",") : UInt8(ascii: ";"))
        (self.source, self.pages, self.zone) = (source, ReadAhead(pages), zone)
    }

    mutating func next() async throws -> [UInt8]? {
        while !pages.isAtEnd, csv.byteCount < ExportLimits.chunk {
            for record in try await pages.next() {
                let zone = record.body.propertyID.flatMap(zone).flatMap { TimeZoneDatabase.system.rules(of: $0) }
                csv.add(record, zone: zone)
            }
        }
        let chunk = csv.take()
        guard !chunk.isEmpty else { return nil }
        try source.check()
        return chunk
    }
}

/// Records with their proofs.
private struct BundleExport<Pages: ExportPages>: ExportProducer where Pages.Page == [ProvenRecord] {
    private let source: ExportSource
    private let log: LogID
    private var header: [UInt8]?
    private var pages: ReadAhead<Pages>
    /// The chunks of the page that are not sent yet, the last one first.
    private var chunks: [[UInt8]] = []
    private var count: UInt64 = 0

    init(_ source: ExportSource, pages: Pages, header: ExportHeader) {
        (self.source, self.pages) = (source, ReadAhead(pages))
        (log, self.header) = (header.log, header.line)
    }

    mutating func next() async throws -> [UInt8]? {
        if let line = header {
            header = nil
            return line
        }
        while chunks.isEmpty, !pages.isAtEnd {
            let page = try await pages.next()
            count += UInt64(page.count)
            chunks = try await ExportLines.format(page, of: log).reversed()
            if pages.isAtEnd { chunks.insert(ExportWriter.lastLine(count: count), at: 0) }
        }
        guard let chunk = chunks.popLast() else { return nil }
        try source.check()
        return chunk
    }
}

/// Why an export ends early. The client gets an incomplete file, and the operator's log the reason.
enum ExportFailure: Error {
    /// Personal values were erased since the export began: data already read may contain them. The caller begins again.
    case erased
    /// The retention has removed records of the export.
    case recordsRemoved
    /// The tree of the log lacks a hash, or has one that is damaged.
    case treeIncomplete
}
