internal import DoorwardControl
internal import DoorwardDomain
import GRDB
internal import GRDBSQLite

/// Interrupts the statements of a connection once a deadline has passed.
final class ReadDeadline {
    private let deadline: MonotonicInstant
    private let clock: any GatewayClock
    private var hasInterrupted = false

    /// The number of steps of SQLite's virtual machine between two clock checks. They usually take less than a millisecond.
    private static let stepsBetweenChecks: CInt = 10_000

    private init(_ deadline: MonotonicInstant, _ clock: any GatewayClock) { (self.deadline, self.clock) = (deadline, clock) }

    /// - Throws: `StoreError.readTimedOut` if a statement was interrupted.
    static func enforce<Value>(
        _ deadline: MonotonicInstant, clock: any GatewayClock, on db: Database, _ body: () throws -> Value
    ) throws -> Value {
        let watch = ReadDeadline(deadline, clock)
        return try withExtendedLifetime(watch) {
            sqlite3_progress_handler(
                db.sqliteConnection, stepsBetweenChecks,
                { context in
                    guard let context else { return 0 }
                    return Unmanaged<ReadDeadline>.fromOpaque(context).takeUnretainedValue().interrupts() ? 1 : 0
                }, Unmanaged.passUnretained(watch).toOpaque())
            defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && watch.hasInterrupted {
                throw StoreError.readTimedOut
            }
        }
    }

    private func interrupts() -> Bool {
        hasInterrupted = clock.monotonicNow() >= deadline
        return hasInterrupted
    }
}
