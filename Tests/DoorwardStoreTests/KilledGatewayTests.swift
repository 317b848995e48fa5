import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// Copies the files at each flush, and keeps the commands that are expected in each copy.
private final class FlushAlbum: Sendable {
    struct Page {
        let path: String
        let commands: [CommandID: Command]
    }

    private struct State {
        /// The commands after the last durable transaction.
        var durable: [CommandID: Command] = [:]
        /// The commands after the transaction in progress.
        var next: [CommandID: Command] = [:]
        var pages: [Page] = []
    }

    private let database: TemporaryDatabase
    private let state = Mutex(State())

    init(_ database: TemporaryDatabase) { self.database = database }

    func expect(_ command: Command) { state.withLock { $0.next[command.id] = command } }
    var pages: [Page] { state.withLock { $0.pages } }

    var hooks: StoreHooks {
        StoreHooks(
            beforeCommit: { _ in try self.state.withLock { try self.keep(&$0) } },
            afterCommit: { _ in
                try self.state.withLock { state in
                    state.durable = state.next
                    try self.keep(&state)
                }
            })
    }

    private func keep(_ state: inout State) throws {
        let path = try database.copyFiles(to: "page-\(state.pages.count).db")
        state.pages.append(Page(path: path, commands: state.durable))
    }
}

@Suite struct KilledGatewayTests {
    @Test(
        "After a kill at any flush the next gateway finds each command in its last durable state, and lists the open ones",
        arguments: 1...2 as ClosedRange<UInt64>)
    func everyFlush(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let album = FlushAlbum(database)
        var limits = TemporaryDatabase.limits
        limits.pagesPerCheckpoint = 7
        let store = try database.open(limits: limits, hooks: album.hooks)
        let script = try await course(StoreScript(seed: seed), seed: seed, store, album)
        try await store.close()
        #expect(album.pages.count > 60)
        for page in album.pages {
            let next = try database.open(path: page.path)
            let open = try await next.openCommands()
            let expected = page.commands.values.filter { !$0.state.isEnd }.sorted {
                ($0.requestedAt, $0.id) < ($1.requestedAt, $1.id)
            }
            #expect(open.map(\.command) == expected, "\(page.path)")
            #expect(open.map(\.log) == expected.map { script.log(of: $0.deviceID) })
            for (id, command) in page.commands { #expect(try await next.command(id)?.command == command) }
            // The next gateway ends each open command once, and then finds no open command.
            var ending = script
            for found in open {
                var ended = found.command
                ended.state = .unknown
                _ = try await next.commit(ending.end(ended))
                await #expect(throws: StoreError.refused(.commandEnded(ended.id))) { try await next.commit(ending.end(ended)) }
            }
            #expect(try await next.openCommands().isEmpty)
            try await next.close()
            let report = try StoreCheck.run(path: page.path)
            #expect(report.isWhole, "\(String(describing: report.fault))")
            #expect(report.counts.commands == UInt64(page.commands.count))
            #expect(report.counts.openCommands == 0)
        }
    }

    /// Runs commands to their outcome, with several in flight at a time.
    private func course(
        _ script: StoreScript, seed: UInt64, _ store: SQLiteStore, _ album: FlushAlbum
    ) async throws -> StoreScript {
        var (script, random, open) = (script, SeededGenerator(seed: seed), [Command]())
        _ = try await store.commit(script.tenancy)
        for _ in 0..<32 {
            script.now = script.now.advanced(by: .milliseconds(Int.random(in: 0...2, using: &random)))
            guard open.count > 2, let index = open.indices.randomElement(using: &random) else {
                let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
                let command = script.command(on: device, reason: "parcel")
                let begin = script.begin(command)
                album.expect(command)
                _ = try await store.commit(begin)
                open.append(command)
                continue
            }
            if open[index].state == .accepted {
                (open[index].state, open[index].dispatchedAt) = (.dispatched, script.now)
                open[index].rule = .guestAccess(script.fixture.id())
                album.expect(open[index])
                _ = try await store.commit(StoreTransaction(commands: [.update(open[index])]))
            } else {
                let ended = script.confirmed(open.remove(at: index))
                album.expect(ended)
                _ = try await store.commit(script.end(ended))
            }
        }
        return script
    }
}
