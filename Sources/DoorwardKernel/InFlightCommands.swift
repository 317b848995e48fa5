package import DoorwardDomain
import Synchronization

/// A command that has an intent and no outcome yet.
package protocol InFlightExecution: Sendable {
    /// The id of the command.
    var id: CommandID { get }
    /// The current state, with the log of the intent.
    var stored: StoredCommand { get }
    /// Shows the command as it was written.
    func show(_ command: Command)
}

/// The commands of this process that have an intent and no outcome yet.
package final class InFlightCommands: Sendable {
    private struct Table {
        var executions: [CommandID: any InFlightExecution] = [:]
        var isClosed = false
        var waiting: [Promise<Void>] = []
    }

    private let table = Mutex(Table())

    /// Whether the gateway is stopping: no command may be sent any more.
    package var isClosed: Bool { table.withLock { $0.isClosed } }

    /// Refuses further commands, from now on.
    package func close() { table.withLock { $0.isClosed = true } }

    /// Adds a command.
    ///
    /// - Throws: `.shuttingDown` once closed: `close` guarantees that no command is added afterwards.
    package func add(_ execution: some InFlightExecution) throws(GatewayError) {
        let id = execution.id
        let isAdded = table.withLock { table in
            if !table.isClosed { table.executions[id] = execution }
            return !table.isClosed
        }
        guard isAdded else { throw .shuttingDown }
    }

    /// Removes a command that has ended; without effect for any other one.
    package func remove(_ id: CommandID) {
        let waiting = table.withLock { table -> [Promise<Void>] in
            table.executions[id] = nil
            guard table.executions.isEmpty else { return [] }
            defer { table.waiting = [] }
            return table.waiting
        }
        for promise in waiting { promise.fulfil(()) }
    }

    /// The command as last written; `nil` if it is not in flight.
    package func command(_ id: CommandID) -> StoredCommand? { table.withLock { $0.executions[id] }?.stored }

    /// Shows a command as it was written.
    func show(_ command: Command) { table.withLock { $0.executions[command.id] }?.show(command) }

    /// The number of commands.
    package var count: Int { table.withLock { $0.executions.count } }

    /// Whether the command is in flight.
    package func contains(_ id: CommandID) -> Bool { table.withLock { $0.executions[id] != nil } }

    /// Waits until there are no commands.
    package func allEnded() async {
        let promise = table.withLock { table -> Promise<Void>? in
            guard !table.executions.isEmpty else { return nil }
            let promise = Promise<Void>()
            table.waiting.append(promise)
            return promise
        }
        await promise?.value
    }
}
