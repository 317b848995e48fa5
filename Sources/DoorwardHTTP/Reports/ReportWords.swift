internal import DoorwardControl
internal import DoorwardDomain

/// The words of reports for the values of the domain.
enum ReportWords {
    static func role(_ role: Role?) -> String {
        switch role {
        case .superAdmin?: "Super admin"
        case .owner?: "Owner"
        case .portfolioAdmin?: "Portfolio admin"
        case .propertyManager?: "Property manager"
        case .maintenance?: "Maintenance"
        case .auditor?: "Auditor (operates no lock)"
        case .tenant?: "Tenant"
        case .guest?: "Guest"
        case nil: "Role that no record names"
        }
    }

    /// A word of the API in small letters, such as `timed out` for `TIMED_OUT`.
    static func plain(_ word: String) -> String { word.lowercased().replacing("_", with: " ") }

    static func operation(_ operation: LockOperation?) -> String { operation.map { plain($0.rawValue).capitalizedFirst } ?? "–" }

    static func event(_ event: RecordEvent) -> String {
        switch event {
        case .offline: "Offline"
        case .jammed: "Jammed"
        case .batteryLow: "Battery low"
        default: plain(event.rawValue).capitalizedFirst
        }
    }

    static func method(_ method: EventMethod) -> String {
        switch method {
        case .manual: "thumb turn or handle"
        case .auto: "locked itself"
        case .rfid: "RFID"
        case .app: "another app"
        case .unknown: "not reported"
        default: plain(method.rawValue)
        }
    }

    static func action(_ action: ChangeAction) -> String {
        switch action {
        case .create: "Created"
        case .update: "Changed"
        case .delete: "Deleted"
        case .assign: "Assigned"
        case .remove: "Removed"
        case .grant: "Granted"
        case .revoke: "Revoked"
        case .move: "Moved"
        case .disable: "Disabled"
        case .enable: "Enabled"
        }
    }

    static func type(_ type: String) -> String {
        switch type {
        case "UserRoleAssociation": "role"
        case "GuestAccess": "guest access"
        case "LockDevice": "lock"
        case "APIKey": "API key"
        default: type.lowercased()
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
