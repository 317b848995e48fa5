/// An operation on a lock for which a right can be granted. Raw values are those of the API.
public enum LockOperation: String, CaseIterable, Codable, Sendable {
    /// Extends the bolt.
    case lock = "LOCK"
    /// Retracts the bolt; the latch still holds the door.
    case unlock = "UNLOCK"
    /// Retracts the latch as well, so that the door can be pushed open.
    case unlatch = "UNLATCH"
    /// Reads state, door and battery.
    case viewStatus = "VIEW_STATUS"
    /// Changes the settings of the lock itself.
    case changeSettings = "CHANGE_SETTINGS"
    /// Reads the access records of the lock.
    case viewAccessHistory = "VIEW_ACCESS_HISTORY"
    /// Grants guests access to the lock.
    case grantAccess = "GRANT_ACCESS"
    /// Starts and lifts the lockdown of the lock's property.
    case lockdown = "LOCKDOWN"

    /// The operations that move the lock.
    public static let movements = allCases.filter(\.isMovement)

    /// The operations of commands: the movements, and the change of the settings.
    package static let ofCommands = movements + [.changeSettings]

    /// Whether the operation moves the bolt or the latch.
    public var isMovement: Bool {
        switch self {
        case .lock, .unlock, .unlatch: true
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: false
        }
    }

    /// Whether it retracts the bolt or the latch, which a lockdown forbids.
    package var isOpening: Bool {
        switch self {
        case .unlock, .unlatch: true
        case .lock, .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: false
        }
    }

    /// The capability that a device must have for this operation; `nil` if none.
    public var requiredCapability: LockCapabilities? {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unlatch: .unlatch
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
}
