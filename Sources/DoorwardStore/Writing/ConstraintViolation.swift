internal import DoorwardAudit
internal import DoorwardControl
import GRDB

/// The error of a transaction that violates a constraint. Only this transaction is rolled back; the rest of its batch is written.
struct ConstraintViolation: Error {
    let rule: StoreRefusal
    /// A description of the violation if a defect of the program or the database caused it; `nil` for a constraint that callers
    /// rely on, such as a unique email address.
    let fault: String?

    init(_ rule: StoreRefusal, fault: String? = nil) { (self.rule, self.fault) = (rule, fault) }

    /// Maps an error that the transaction caused. Returns `nil` for an error of the disk or of the whole database.
    init?(_ error: any Error) {
        switch error {
        case let refusal as ConstraintViolation: self = refusal
        case let error as DatabaseError: self.init(statement: error)
        case let error as UnreadableColumn:
            self.init(
                .inconsistent("a row cannot be read"), fault: "the stored column \(error.column) cannot be read")
        case is RecordEncodingError: self.init(.inconsistent("a record has no encoding"), fault: "a record cannot be encoded")
        default: return nil
        }
    }

    private init?(statement error: DatabaseError) {
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: self.init(.duplicate)
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self.init(.parentUnknown)
        case .SQLITE_TOOBIG: self.init(.inconsistent("a value is too large"))
        case _ where error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH:
            self.init(.inconsistent("a constraint of a table"), fault: describe(error))
        default: return nil
        }
    }
}
