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
        let (names, mirror, follow, dirtyCommands, isIdle) = state.withLock { state in
            let hasStored = state.mirror.has(.accessRecord) || state.mirror.has(.command)
            let isIdle = state.ending != nil || state.isBlocked || !state.isOpened || !hasStored
            let names = state.mirror.beginListing()
            return (names, state.mirror, state.follow, state.dirtyCommands, isIdle)
        }
        var stored = Stored()
        let view = view
        // Not under the mutex, because changes and the gate wait for it.
        stored.listed = names.map { ($0, view.members(of: $0.query)) }
        guard !isIdle else { return stored }
        do throws(StoreError) {
            if mirror.has(.accessRecord) { try await fetchRecords(&stored, mirror, follow, view) }
            if mirror.has(.command) { try await fetchCommands(&stored, mirror, dirtyCommands, view) }
        } catch {
            state.withLock { $0.isBlocked = true }
            return Stored(listed: stored.listed)
        }
        return stored
    }

    private func fetchRecords(
        _ stored: inout Stored, _ mirror: StreamMirror, _ follow: RecordFollow, _ view: StreamView
    ) async throws(StoreError) {
        let readable = Set(view.tenancy.recordScopes(of: view.subject).map(\.log))
        stored.readable = readable
        for log in readable.sorted(by: { $0.description < $1.description }) where follow.next[log] == nil {
            stored.starts[log] = try await services.store.start(in: log, view, resumed: follow.resumed(for: log))
        }
        let waiting = mirror.stored(.accessRecord) { $0 == .waiting }
        // Read the positions of new logs first, because a snapshot ends where they begin.
        guard stored.starts.isEmpty else { return }
        if let name = waiting.first {
            try await fetchSnapshot(of: name, &stored, follow, view)
        } else if let log = follow.dirty.first {
            state.withLock { $0.follow.setClean(log) }
            do throws(StoreError) {
                stored.records = (log, try await services.store.records(of: log, from: follow.next[log] ?? 0, view))
            } catch {
                state.withLock { _ = $0.follow.markDirty(log) }
                throw error
            }
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
            let page = try await services.store.page(view, filter, .newestFirst, limit: StreamStore.snapshotItems)
            stored.recordPages.append((name.name, page.records.reversed(), nil))
            return
        }
        let page = try await services.store.page(
            view, filter, .oldestFirst, after: follow.cursors[name.name], limit: StreamMirror.pageObjects)
        stored.recordPages.append((name.name, page.records, page.next))
    }

    private func fetchCommands(
        _ stored: inout Stored, _ mirror: StreamMirror, _ dirty: Set<CommandID>, _ view: StreamView
    ) async throws(StoreError) {
        let hasMissed = state.withLock { state in
            defer { state.hasMissedCommands = false }
            return state.hasMissedCommands
        }
        do throws(StoreError) {
            for name in mirror.activeNames {
                guard name.phase == .waiting || name.phase == .resuming || (hasMissed && name.phase == .ready),
                    case .commands(let device) = name.subscription.query
                else { continue }
                let limit = name.phase == .waiting ? StreamStore.snapshotItems : StreamStore.comparedCommands
                let commands = try await services.store.ownCommands(view, device, limit: limit)
                stored.commandLists.append((name.subscription.name, commands, name.phase))
            }
        } catch {
            if hasMissed { state.withLock { $0.hasMissedCommands = true } }
            throw error
        }
        for id in dirty.sorted().prefix(StreamStore.pageRecords) {
            state.withLock { _ = $0.dirtyCommands.remove(id) }
            do throws(StoreError) {
                if let command = try await services.store.command(id) { stored.commands.append(command) }
            } catch {
                state.withLock { _ = $0.dirtyCommands.insert(id) }
                throw error
            }
        }
    }
}
