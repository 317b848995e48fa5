/// What somebody may want to do with a lock. Raw values are the wire's.
package enum LockOperation: String, CaseIterable, Codable, Sendable {
    case lock = "LOCK"
    case unlock = "UNLOCK"
    /// Pulls the latch, so that the door can be pushed open.
    case unlatch = "UNLATCH"
    case viewStatus = "VIEW_STATUS"
    case changeSettings = "CHANGE_SETTINGS"
    case viewAccessHistory = "VIEW_ACCESS_HISTORY"
    case grantAccess = "GRANT_ACCESS"
    case lockdown = "LOCKDOWN"

    /// The operations that move the lock; a command carries one of them.
    package static let movements = allCases.filter(\.isMovement)

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
