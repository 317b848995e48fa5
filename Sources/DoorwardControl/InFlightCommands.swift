internal import DoorwardDomain
import Synchronization

/// The commands of this process that have an intent and no outcome yet.
final class InFlightCommands: Sendable {
    private struct Table {
        var executions: [CommandID: CommandExecution] = [:]
        var isClosed = false
        var waiting: [Promise<Void>] = []
    }

    private let table = Mutex(Table())

    /// Whether the gateway is stopping: no command may be sent any more.
    var isClosed: Bool { table.withLock { $0.isClosed } }

    func close() { table.withLock { $0.isClosed = true } }

    /// - Throws: `.shuttingDown` once closed: `close` guarantees that no command is added afterwards.
    func add(_ execution: CommandExecution) throws(GatewayError) {
        let id = execution.id
        let isAdded = table.withLock { table in
            if !table.isClosed { table.executions[id] = execution }
            return !table.isClosed
        }
        guard isAdded else { throw .shuttingDown }
    }

    func remove(_ id: CommandID) {
        let waiting = table.withLock { table -> [Promise<Void>] in
            table.executions[id] = nil
            guard table.executions.isEmpty else { return [] }
            defer { table.waiting = [] }
            return table.waiting
        }
        for promise in waiting { promise.fulfil(()) }
    }

    func command(_ id: CommandID) -> StoredCommand? { table.withLock { $0.executions[id] }?.stored }

    /// Shows a command as it was written.
    func show(_ command: Command) { table.withLock { $0.executions[command.id] }?.show(command) }

    /// The number of commands.
    var count: Int { table.withLock { $0.executions.count } }

    func contains(_ id: CommandID) -> Bool { table.withLock { $0.executions[id] != nil } }

    /// Waits until there are no commands.
    func allEnded() async {
        let promise = table.withLock { table -> Promise<Void>? in
            guard !table.executions.isEmpty else { return nil }
            let promise = Promise<Void>()
            table.waiting.append(promise)
            return promise
        }
        await promise?.value
    }
}
