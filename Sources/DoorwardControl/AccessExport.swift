internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardPolicy

/// An export in progress: the chunks of a file. While a page of records with proofs is sent, the lines of the next one are formatted,
/// and two pages after it are read, so a slow reader holds four pages. A CSV file is read one page ahead. Records that are written
/// meanwhile are not part of the export.
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
            let selected = RecordPages(
                source.records, scopes, filter, request.fromSeq, Swift.min(request.untilSeq ?? size, size))
            let pages = SelectedPages(selected, proofs: proofs, size: size)
            return AccessExport(name: name(header.log), producer: BundleExport(source, pages: pages, header: header))
        }
        // Records that the retention has removed cannot be exported. The export begins with the first one that is left.
        let kept = try await mappingStoreErrors { () throws(StoreError) in
            try await source.records.store.range(of: header.log, from: range.lowerBound, limit: 0)?.firstSeq ?? 0
        }
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

/// What all exports need while they are in progress.
struct ExportSource: Sendable {
    let records: ExportRecords
    let slot: RunningExports.Slot
    /// Throws once the caller may no longer export what the export contains.
    let checkRight: @Sendable () throws -> Void
}

enum ExportLimits {
    /// The size from which a chunk is sent.
    static let chunk = 64 * 1024
    /// The most records of a page, a multiple of 256. Pages of a complete export begin at multiples of 256, the records of a tile. A large
    /// page costs less for each record: its keys are read once, and threads wait for each other less often.
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
        (self.source, self.pages, self.zone) = (source, ReadAhead(pages, erasures: source.records.erasures), zone)
    }

    mutating func next() async throws -> [UInt8]? {
        while !pages.isAtEnd, csv.byteCount < ExportLimits.chunk {
            try source.checkRight()
            for record in try await pages.next() {
                let zone = record.body.propertyID.flatMap(zone).flatMap { TimeZoneDatabase.system.rules(of: $0) }
                csv.add(record, zone: zone)
            }
        }
        let chunk = csv.take()
        return chunk.isEmpty ? nil : chunk
    }
}

/// Records with their proofs.
private struct BundleExport<Pages: ExportPages>: ExportProducer where Pages.Page == [ProvenRecord] {
    private typealias Lines = ReadAhead<LinePages<ReadAhead<ReadAhead<Pages>>>>

    private let source: ExportSource
    private var header: [UInt8]?
    /// The pages from the one that is sent on, of which nothing is held, and those after it.
    private var (current, pages): (Lines, Lines)
    /// The chunks of the page that are not sent yet, the last one first, and the number of those that were sent.
    private var (chunks, sent): ([OwnedTask<[UInt8]>], Int) = ([], 0)
    /// The number of erasures before the page was read.
    private var erasures: UInt64 = 0
    /// Whether pages that are read again have the same records. A read of selected records may end elsewhere.
    private let isRepeatable: Bool

    init(_ source: ExportSource, pages: Pages, header: ExportHeader) {
        let erasures = source.records.erasures
        (self.source, self.header, isRepeatable) = (source, header.line, header.range != nil)
        let records = ReadAhead(ReadAhead(pages, erasures: erasures), erasures: erasures)
        self.pages = ReadAhead(LinePages(records, log: header.log, erasures: erasures), erasures: erasures)
        current = self.pages
    }

    /// The right is checked before each page is read and before each chunk is sent. If values were erased since a page of a complete
    /// export was read, what is left of it is read again. After an error, the call can be repeated.
    mutating func next() async throws -> [UInt8]? {
        if let line = header {
            header = nil
            return line
        }
        while true {
            if let chunk = chunks.last {
                let lines = try await chunk.value
                if source.records.erasures() == erasures || !isRepeatable {
                    try source.checkRight()
                    chunks.removeLast()
                    sent += 1
                    return lines
                }
                pages = current
            } else {
                guard !pages.isAtEnd else { return nil }
                try source.checkRight()
                (current, sent) = (pages.withoutReadAhead(), 0)
            }
            let erasures = source.records.erasures()
            chunks = try await pages.next().dropFirst(sent).reversed()
            self.erasures = erasures
        }
    }
}

/// Why an export ends before its end. The client gets an incomplete file, and the operator's log the reason.
enum ExportFailure: Error {
    /// The retention has removed records of the export.
    case recordsRemoved
    /// The tree of the log lacks a hash, or has one that is damaged.
    case treeIncomplete
}
