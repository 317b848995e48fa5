import DoorwardClient

/// Converts the API's codes to text for users.
enum DisplayText {
    /// Converts `PROPERTY_MANAGER` to `property manager`; unknown codes are converted in the same way.
    static func word(_ code: String) -> String { code.lowercased().replacing("_", with: " ").printable }

    static func word(_ value: some OpenValue) -> String { word(value.rawValue) }

    /// Converts the name of an entity's type, or a fault of a lock: `GuestAccess` to `guest access`, `notFullyLocked` to `not fully
    /// locked`.
    static func kind(_ type: String) -> String {
        switch type {
        case "LockDevice": "lock"
        case "UserRoleAssociation": "role"
        case "APIKey": "API key"
        default:
            type.enumerated().reduce(into: "") { words, letter in
                if letter.offset > 0, letter.element.isUppercase { words += " " }
                words += letter.element.lowercased()
            }.printable
        }
    }

    /// Returns the problem of a field as a sentence about the option that set the field.
    static func problem(_ code: String, of option: FieldOption) -> String {
        let name = option.name.printable
        switch code {
        case "unknown_value", "unknown":
            guard let value = option.value else { return "\(name) has an unknown value\(hint(option, for: nil))" }
            return "\(name): `\(value.printable)` is not known\(hint(option, for: value))"
        case "unknown_key": return "\(name) is not known here\(hint(option, for: option.value))"
        case "unknown_zone":
            return "\(name)\(option.value.map { ": `\($0.printable)`" } ?? "") is not a time zone; one is Europe/Berlin"
        default: return "\(name) \(problem(code))"
        }
    }

    private static func hint(_ option: FieldOption, for value: String?) -> String {
        let nearest = value.flatMap { NameMatch.suggestion(for: $0, among: option.candidates) }
        if let nearest { return ". Did you mean `\(nearest.printable)`?" }
        return option.candidates.isEmpty ? "" : "; known are \(option.candidates.map(\.printable).joined(separator: ", "))"
    }

    /// Returns the problem of a field, to be printed after the field's name.
    static func problem(_ code: String) -> String {
        switch code {
        case "required": "is missing"
        case "blank": "is blank"
        case "too_long": "is too long"
        case "too_short": "is too short"
        case "empty": "is empty"
        case "unknown_key": "is not known here"
        case "unknown_value", "unknown": "has an unknown value"
        case "wrong_type": "has a value of the wrong type"
        case "out_of_range": "is out of range"
        case "control_character": "contains a control character"
        case "end_not_after_start": "is not after the start"
        case "window_too_long": "is more than five years after the start"
        case "unknown_zone": "is not a time zone"
        case "bad_email": "is not an email address"
        case "in_the_past": "is in the past"
        case "not_in_property": "is not in that property"
        case "other_portfolio": "is in another portfolio than the lock's broker"
        case "exclusive": "cannot be combined with another one of its kind"
        case "too_many_combining_marks": "contains more than 30 combining marks in a row"
        case "page_too_large": "is larger than a page can be"
        case "not_in_bulk": "cannot be part of a bulk; send this request by itself"
        case "not_grantable": "contains an operation that guests cannot be given"
        default: "is not valid (\(word(code)))"
        }
    }

    static func reason(_ reason: Doorward.DenialReason) -> String { self.reason(reason.rawValue) }

    /// Returns the reason of a denial as text.
    static func reason(_ code: String) -> String {
        switch code {
        case "no_association": "no role or guest access for this lock"
        case "role_insufficient": "the role does not allow it"
        case "operation_not_granted": "the guest access does not allow it"
        case "guest_window_not_started": "the guest access has not started"
        case "guest_window_ended": "the guest access has expired"
        case "guest_access_revoked": "the guest access was revoked"
        case "outside_schedule": "outside the hours of the guest access"
        case "guest_uses_exhausted": "the guest access is used up"
        case "grantor_lost_access": "the person who granted it has no access any more"
        case "user_unknown": "the account does not exist"
        case "user_disabled": "the account is disabled"
        case "device_unknown": "the lock does not exist"
        case "remote_operation_disabled": "remote operation is turned off"
        case "lockdown_active": "the property is in lockdown"
        case "capability_missing": "the lock does not support it"
        case "device_unassigned": "the lock is in no property"
        case "clock_untrusted": "the gateway's clock is not trusted"
        case "feature_unavailable": "the subscription does not include it"
        default: word(code)
        }
    }
}
