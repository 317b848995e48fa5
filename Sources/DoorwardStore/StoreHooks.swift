internal import DoorwardDomain
internal import DoorwardKernel
internal import Logging
internal import Metrics

/// Hooks for tests and benchmarks, which observe the writer or make it fail. The gateway sets no hooks.
///
/// All hooks except `afterAdmission`, `duringBackup` and `duringErasure` are called on the writer. An error that a hook throws is
/// treated as a disk failure.
package struct StoreHooks: Sendable {
    /// Called in the task that called `commit` after its transaction was accepted, with the transaction's number, from 1.
    package var afterAdmission: @Sendable (_ number: Int) -> Void = { _ in }
    /// Called on the writer when it begins a batch, with the number of transactions in it.
    package var beforeBatch: @Sendable (_ transactions: Int) -> Void = { _ in }
    /// Called before each COMMIT with the number of transactions in the batch.
    package var beforeCommit: @Sendable (_ transactions: Int) throws -> Void = { _ in }
    /// Called after each COMMIT that succeeded, before any caller is resumed.
    package var afterCommit: @Sendable (_ transactions: Int) throws -> Void = { _ in }
    /// Called before each checkpoint: between batches, after the database was reopened, and when the store is closing.
    package var beforeCheckpoint: @Sendable () throws -> Void = {}
    /// Called after each checkpoint that succeeded.
    package var afterCheckpoint: @Sendable () throws -> Void = {}
    /// Called by a backup after each step, with the number of pages still to copy. Not called on the writer.
    package var duringBackup: @Sendable (_ pagesLeft: Int) throws -> Void = { _ in }
    /// Called at each step of the replacement of the person-key file, after the commit of an erasure. Called on the thread of the
    /// file, and by the thread that opens the store.
    var duringErasure: @Sendable (PersonKeyFile.Step) throws -> Void = { _ in }
    /// Returns whether enough file descriptors are free to reopen the database.
    package var isDescriptorReserveFree: @Sendable () -> Bool = { DescriptorReserve.isFree }

    /// The hooks of the gateway.
    package static let none = StoreHooks()
}

/// What the parts of an open store share.
struct StoreContext: Sendable {
    /// The path of the database file.
    let path: String
    let clock: any GatewayClock
    let random: any RandomNumberGenerator & Sendable
    let logger: Logger
    var limits = StoreLimits()
    var hooks = StoreHooks()
    var metrics = StoreMetrics(NOOPMetricsHandler.instance)
    let backups = RunningBackup()
}
