/// Words of the API as a person would say them.
enum Words {
    /// `PROPERTY_MANAGER` as `property manager`; any word that is not known reads like that too.
    static func word(_ code: String) -> String { code.lowercased().replacing("_", with: " ").printable }

    /// The kind of thing that a change was made to: `GuestAccess` as `guest access`.
    static func kind(_ type: String) -> String {
        switch type {
        case "LockDevice": "lock"
        case "UserRoleAssociation": "role"
        default:
            type.enumerated().reduce(into: "") { words, letter in
                if letter.offset > 0, letter.element.isUppercase { words += " " }
                words += letter.element.lowercased()
            }.printable
        }
    }

    /// Something that is wrong with a lock: `notFullyLocked` as `not fully locked`.
    static func fault(_ word: String) -> String { kind(word) }

    static func role(_ code: String) -> String { word(code) }

    /// What is wrong with a field, after its name.
    static func problem(_ code: String) -> String {
        switch code {
        case "required": "is missing"
        case "blank": "is blank"
        case "too_long": "is too long"
        case "too_short": "is too short"
        case "empty": "is empty"
        case "unknown_key": "is not known here"
        case "unknown_value", "unknown": "has a value that is not known here"
        case "wrong_type": "is of the wrong type"
        case "out_of_range": "is out of range"
        case "control_character": "holds a control character"
        case "end_not_after_start": "is not after the beginning"
        case "window_too_long": "is more than five years after the beginning"
        case "not_in_property": "is not in that property"
        case "other_portfolio": "is in another portfolio than the lock's broker belongs to"
        case "exclusive": "cannot be given beside another of its kind"
        case "too_many_combining_marks": "holds more than 30 combining marks in a row"
        case "page_too_large": "asks for more than one page can hold"
        case "not_grantable": "holds what no guest can be given"
        default: "is not valid (\(word(code)))"
        }
    }

    /// A reason of a denial.
    static func reason(_ code: String) -> String {
        switch code {
        case "no_association": "no role or guest access reaches it"
        case "role_insufficient": "the role does not include it"
        case "operation_not_granted": "the guest access does not include it"
        case "guest_window_not_started": "the guest access has not begun"
        case "guest_window_ended": "the guest access has ended"
        case "guest_access_revoked": "the guest access was revoked"
        case "outside_schedule": "outside the hours of the guest access"
        case "guest_uses_exhausted": "the guest access is used up"
        case "grantor_lost_access": "whoever granted it may not any more"
        case "remote_operation_disabled": "remote operation is off"
        case "lockdown_active": "the property is locked down"
        case "capability_missing": "the lock cannot do it"
        case "device_unassigned": "the lock belongs to no property"
        case "clock_untrusted": "the gateway is not sure of the time"
        case "feature_unavailable": "the subscription does not include it"
        default: word(code)
        }
    }
}
