/// What somebody may want to do with a lock. Raw values are the wire's.
package enum LockOperation: String, CaseIterable, Codable, Sendable {
    /// Drives the bolt out.
    case lock = "LOCK"
    /// Draws the bolt in; the latch still holds the door.
    case unlock = "UNLOCK"
    /// Pulls the latch, so that the door can be pushed open.
    case unlatch = "UNLATCH"
    /// To read state, door and battery.
    case viewStatus = "VIEW_STATUS"
    /// To change what is set in the lock itself.
    case changeSettings = "CHANGE_SETTINGS"
    /// To read who has used the lock.
    case viewAccessHistory = "VIEW_ACCESS_HISTORY"
    /// To let guests use the lock.
    case grantAccess = "GRANT_ACCESS"
    /// To start and lift the lockdown of the property that the lock hangs on.
    case lockdown = "LOCKDOWN"

    /// The operations that move the lock; a command carries one of them.
    package static let movements = allCases.filter(\.isMovement)

    /// Whether it moves bolt or latch, and so needs a command.
    package var isMovement: Bool {
        switch self {
        case .lock, .unlock, .unlatch: true
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: false
        }
    }

    /// The capability that a device must have for this operation, if it needs one.
    package var requiredCapability: LockCapabilities? {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unlatch: .unlatch
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
}
