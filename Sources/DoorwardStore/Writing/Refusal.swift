internal import DoorwardControl
import GRDB

/// A transaction breaks a rule: it alone is undone, and the rest of its batch goes on.
struct Refusal: Error {
    let error: StoreError

    init(_ error: StoreError) { self.error = error }

    /// What a failed statement says about the transaction; `nil` when it says something about the disk or the database.
    init?(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as DatabaseError: self.init(statement: error)
        default: return nil
        }
    }

    private init?(statement error: DatabaseError) {
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE where error.message?.contains("users.email_key") == true: self.init(.emailTaken)
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: self.init(.duplicate)
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self.init(.parentUnknown)
        case .SQLITE_TOOBIG: self.init(.refused("too_big"))
        default: return nil
        }
    }
}
