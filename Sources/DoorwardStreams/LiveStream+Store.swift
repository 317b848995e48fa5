internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

// Reads the data for a batch: the records and commands, and the objects of new names. Nothing is decided here: the data are selected again
// when the batch is made.
extension LiveStream {
    /// What was read for a step.
    struct Stored {
        var listed: [(name: StreamName, members: [StreamObject])] = []
        var readable: Set<LogID>?
        var starts: [LogID: UInt64] = [:]
        var recordPages: [(name: String, records: [AccessRecord], next: RecordPosition?)] = []
        var records: (log: LogID, page: RecordPage)?
        var commandLists: [(name: String, commands: [StoredCommand], phase: StreamMirror.Phase)] = []
        var commands: [StoredCommand] = []
    }

    /// Lists the objects of new names, and reads what the names of records and commands need.
    func fetch() async -> Stored {
        let (names, before) = state.withLock { ($0.mirror.beginListing(), $0) }
        var stored = Stored()
        let (view, mirror) = (view, before.mirror)
        // Not under the mutex, because changes and the gate wait for it.
        stored.listed = names.map { ($0, view.members(of: $0.query)) }
        guard before.ending == nil, !before.isBlocked, before.isOpened else { return stored }
        do throws(StoreError) {
            if mirror.has(.accessRecord) { try await fetchRecords(&stored, before, view) }
            if mirror.has(.command) { try await fetchCommands(&stored, before, view) }
            return stored
        } catch {
            // Nothing that was read is sent, so all of it is to be read again.
            state.withLock { state in
                state.isBlocked = true
                for log in before.follow.dirty { _ = state.follow.markDirty(log) }
                state.dirtyCommands.formUnion(before.dirtyCommands)
                if before.hasMissedCommands { state.hasMissedCommands = true }
            }
            return Stored(listed: stored.listed)
        }
    }

    private func fetchRecords(_ stored: inout Stored, _ before: State, _ view: StreamView) async throws(StoreError) {
        let follow = before.follow
        let readable = Set(view.tenancy.recordScopes(of: view.subject).map(\.log))
        stored.readable = readable
        for log in readable.sorted(by: { $0.description < $1.description }) where follow.next[log] == nil {
            stored.starts[log] = try await services.start(in: log, view, resumed: follow.resumed(for: log))
        }
        // Read the positions of new logs first, because a snapshot ends where they begin.
        guard stored.starts.isEmpty else { return }
        if let name = before.mirror.stored(.accessRecord, where: { $0 == .waiting }).first {
            try await fetchSnapshot(of: name, &stored, follow, view)
        } else if let log = follow.dirty.first {
            state.withLock { $0.follow.setClean(log) }
            stored.records = (log, try await services.records(of: log, from: follow.next[log] ?? 0, view))
        }
    }

    /// The newest records of a name or, if its filter has a beginning, a page of all records from then on.
    private func fetchSnapshot(
        of name: StreamName, _ stored: inout Stored, _ follow: RecordFollow, _ view: StreamView
    ) async throws(StoreError) {
        guard case .accessRecords(let filter?) = name.query else {
            stored.recordPages.append((name.name, [], nil))
            return
        }
        guard filter.from != nil else {
            let page = try await services.page(view, filter, .newestFirst, limit: StreamServices.snapshotItems)
            stored.recordPages.append((name.name, page.records.reversed(), nil))
            return
        }
        let page = try await services.page(
            view, filter, .oldestFirst, after: follow.cursors[name.name], limit: StreamMirror.pageObjects)
        stored.recordPages.append((name.name, page.records, page.next))
    }

    private func fetchCommands(_ stored: inout Stored, _ before: State, _ view: StreamView) async throws(StoreError) {
        let dirty = before.dirtyCommands.sorted().prefix(StreamServices.pageRecords)
        state.withLock { state in
            if before.hasMissedCommands { state.hasMissedCommands = false }
            state.dirtyCommands.subtract(dirty)
        }
        for name in before.mirror.activeNames {
            guard name.phase == .waiting || name.phase == .resuming || (before.hasMissedCommands && name.phase == .ready),
                case .commands(let device) = name.subscription.query
            else { continue }
            let limit = name.phase == .waiting ? StreamServices.snapshotItems : StreamServices.comparedCommands
            let commands = try await services.ownCommands(view, device, limit: limit)
            stored.commandLists.append((name.subscription.name, commands, name.phase))
        }
        for id in dirty { if let command = try await services.command(id) { stored.commands.append(command) } }
    }
}
