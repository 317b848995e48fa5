import ArgumentParser
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials
import Logging

/// `doorward store recover`: accepts that logs have lost records, so that a gateway starts again.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Go on with a restored database whose access log is older than its checkpoints.",
        discussion: """
            A gateway does not start (exit code 4) if its access log has lost records that it had signed, or other records are in \
            their place: a backup was restored, or the database was changed. If the lost records cannot be restored, this command \
            opens a new generation of each such log. Checkpoints of the new generation have another origin, so they do not \
            contradict those that others keep, and a record in each log and in the gateway's says what was given up. No gateway \
            may run on the database.

            If nothing was lost, nothing is changed.

            Example: doorward store recover --accept-rollback --store-path restored/doorward.db
            """)

    @Flag(help: "Accept that the records after the restored state are lost for good. Required.")
    var acceptRollback = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard acceptRollback else {
            throw ValidationError(
                "To give up the records that the database has lost, repeat the command with --accept-rollback; to keep them, "
                    + "restore a newer database.")
        }
    }

    func run() async throws {
        let configuration = try store.configuration()
        guard FileManager.default.fileExists(atPath: configuration.store.path) else {
            throw CommandFailure("\(configuration.store.path): there is no database; restore one first")
        }
        let clock = SystemClock()
        let opened = try Gateway.openStore(configuration, clock: clock, logger: .errorsOnly)
        let opening: [Generation]
        do {
            opening = try await recover(configuration, StoreGuard(store: opened), clock)
            try await opened.close()
        } catch {
            try? await opened.close()
            throw error as? CommandFailure ?? CommandFailure("the database could not be recovered: \(error)")
        }
        output.print(json: JSONOutput.document(["generations": opening])) { style in
            opening.isEmpty
                ? ["Nothing was lost: the database has every record that a checkpoint covers."]
                : Table("LOG", "GENERATION", rows: opening.map { [Table.Cell($0.logId), Table.Cell("\($0.generation)")] })
                    .lines(style)
        }
    }

    private struct Generation: Encodable {
        let logId: String
        let generation: Int
    }

    private func recover(
        _ configuration: GatewayConfiguration, _ storeGuard: StoreGuard, _ clock: any GatewayClock
    ) async throws -> [Generation] {
        let random = RandomSource()
        let setup = try await AuditSetup.openForRecovery(configuration, storeGuard, random: random)
        let checkpoints = Checkpoints(
            storeGuard: storeGuard, setup: setup, clock: clock, random: random, logger: .errorsOnly)
        return try await checkpoints.acceptRollback().map { Generation(logId: "\($0.key)", generation: $0.value) }
            .sorted { $0.logId < $1.logId }
    }
}
