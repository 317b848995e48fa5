internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

/// The position of a stream in each log that its caller may read.
struct RecordFollow: Sendable {
    /// The number of the next record in each log.
    private(set) var next: [LogID: UInt64] = [:]
    /// The logs with new records.
    private(set) var dirty: Set<LogID> = []
    /// The positions from which the stream was resumed.
    private let resumed: LogPositions?
    /// The logs that were followed at any time.
    private var begun: Set<LogID> = []
    /// The logs in the order in which they were last advanced.
    private var recent: [LogID] = []
    private var latest = Timestamp(milliseconds: 0)
    /// The positions in the snapshots of names with a history.
    var cursors: [String: RecordPosition] = [:]

    init(resumed: LogPositions?) {
        self.resumed = resumed
        latest = resumed?.latest ?? latest
    }

    /// The positions in their fixed form.
    ///
    /// - Parameter isComplete: whether no name waits for the snapshot of its records. Until then the client has fewer records than the
    ///   positions say, so it cannot be resumed from them.
    func positions(isComplete: Bool) -> LogPositions {
        if begun.isEmpty, let resumed {
            return LogPositions(entries: resumed.entries, latest: resumed.latest, isComplete: isComplete)
        }
        let entries = recent.suffix(LogPositions.maxEntries).compactMap { log in
            next[log].map { LogPositions.Entry(log: log.shortened, next: $0) }
        }
        return LogPositions(entries: entries, latest: latest, isComplete: isComplete)
    }

    /// The positions from which the stream was resumed, for a log that is read for the first time; `nil` for a log whose right has ended
    /// and begun again, because the records after the positions were already sent.
    func resumed(for log: LogID) -> LogPositions? { begun.contains(log) ? nil : resumed }

    /// Adds logs with their positions, and forgets all other logs that are not among `readable`.
    mutating func update(readable: Set<LogID>, starts: [LogID: UInt64]) {
        for log in Array(next.keys) where !readable.contains(log) {
            next[log] = nil
            dirty.remove(log)
            recent.removeAll { $0 == log }
        }
        for (log, start) in starts where readable.contains(log) && next[log] == nil {
            next[log] = start
            begun.insert(log)
            // Logs that have not been advanced are the first to lose their exact position.
            recent.insert(log, at: 0)
            dirty.insert(log)
        }
    }

    /// - Returns: whether the log is followed.
    mutating func markDirty(_ log: LogID) -> Bool {
        guard next[log] != nil else { return false }
        dirty.insert(log)
        return true
    }

    mutating func markAllDirty() { dirty.formUnion(next.keys) }

    mutating func setClean(_ log: LogID) { dirty.remove(log) }

    mutating func advance(_ log: LogID, to seq: UInt64, at: Timestamp?) {
        guard let current = next[log], seq > current else { return }
        next[log] = seq
        if let at { latest = max(latest, at) }
        if recent.last != log {
            recent.removeAll { $0 == log }
            recent.append(log)
        }
    }
}

// Reads records and commands for streams.
extension StreamServices {
    /// The maximum number of records that are read at once.
    static let pageRecords = 64
    /// The number of records and commands in a snapshot without a beginning in time: those of the first page of their list.
    static let snapshotItems = 50
    /// The number of commands that are compared with those sent, when a stream is resumed or changes were missed.
    static let comparedCommands = 200

    private var storeGuard: StoreGuard { kernel.storeGuard }

    /// The number of the first record that a stream sends from a log.
    func start(in log: LogID, _ view: StreamView, resumed: LogPositions?) async throws(StoreError) -> UInt64 {
        if let resumed {
            if let next = resumed.next(in: log) { return next }
            if resumed.entries.count == LogPositions.maxEntries {
                let filter = RecordFilter(log: log, from: resumed.latest.advanced(by: .zero - LogPositions.overlap))
                let page = try await page(view, filter, .oldestFirst, limit: 1)
                if let first = page.records.first { return first.seq }
            }
        }
        return try await page(view, RecordFilter(log: log), .newestFirst, limit: 1).records.first.map { $0.seq + 1 } ?? 0
    }

    func page(
        _ view: StreamView, _ filter: RecordFilter, _ order: RecordQuery.Order, after: RecordPosition? = nil, limit: Int
    ) async throws(StoreError) -> RecordPage {
        let scopes = view.tenancy.recordScopes(of: view.subject, filteredBy: filter)
        let read = filter.log.map { log in scopes.filter { $0.log == log } } ?? scopes
        guard !read.isEmpty else { return RecordPage(records: [], next: nil) }
        let query = RecordQuery(
            scopes: read, filter: filter, order: order, after: after, limit: limit,
            reader: view.tenancy.listReader(of: view.subject))
        return try await storeGuard.log.page(query)
    }

    /// The records of a log from a number on, in order.
    func records(of log: LogID, from seq: UInt64, _ view: StreamView) async throws(StoreError) -> RecordPage {
        let after = seq == 0 ? nil : RecordPosition(log: log, seq: seq - 1, at: Timestamp(milliseconds: 0))
        return try await page(view, RecordFilter(log: log), .oldestFirst, after: after, limit: Self.pageRecords)
    }

    /// The newest commands of the caller, oldest first.
    func ownCommands(_ view: StreamView, _ device: DeviceID?, limit: Int) async throws(StoreError) -> [StoredCommand] {
        guard let user = view.subject.actorUserID else { return [] }
        let query = CommandQuery(
            scopes: [], actorUserID: user, deviceID: device, limit: limit, reader: view.tenancy.listReader(of: view.subject))
        return try await storeGuard.commands.commands(query).commands.reversed().map {
            storeGuard.commandInFlight($0.command.id) ?? $0
        }
    }

    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? {
        if let command = storeGuard.commandInFlight(id) { return command }
        return try await storeGuard.commands.command(id)
    }
}
