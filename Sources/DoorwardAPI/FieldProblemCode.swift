/// The problem with a field of a request, reported in `details.fields[].problem`. Individual
/// requests also report codes of their own, such as `end_not_after_start`.
package enum FieldProblemCode: String, CaseIterable, Codable, Sendable {
    /// The body is not JSON.
    case notJSON = "not_json"
    /// A text has more than 30 combining marks in a row (Unicode's Stream-Safe Text Format).
    case tooManyMarks = "too_many_combining_marks"
    /// The same key occurs twice.
    case duplicateKey = "duplicate_key"
    /// The object has no such key; unknown keys are not ignored.
    case unknownKey = "unknown_key"
    /// The field is missing, and has no default.
    case required
    /// The value has another JSON type than the field.
    case wrongType = "wrong_type"
    /// The value has more characters, bytes or elements than `WireLimits` allows.
    case tooLong = "too_long"
    /// A page of this many items has more bytes than `WireLimits` allows.
    case pageTooLarge = "page_too_large"
    /// The value has fewer characters or bytes than the field requires.
    case tooShort = "too_short"
    /// The text contains only white space.
    case blank
    /// The text contains a control character, which could break a line of a log or a terminal.
    case controlCharacter = "control_character"
    /// The number is too small or too large for the field.
    case outOfRange = "out_of_range"
    /// The value is not one of the field's allowed values.
    case unknownValue = "unknown_value"
    /// The text is not an email address.
    case badEmail = "bad_email"
    /// The text is an instant without a zone or offset.
    case missingZone = "missing_zone"
    /// The text is not an instant of RFC 3339.
    case badTime = "bad_time"
    /// The text is not a time zone that the gateway supports.
    case unknownZone = "unknown_zone"
    /// The text is not a day of the week, `MON` to `SUN`.
    case unknownDay = "unknown_day"
    /// The list has no elements.
    case empty
    /// The field is read-only: only the gateway sets it.
    case readOnly = "read_only"
    /// The gateway did not create this cursor for this caller and these filters.
    case badCursor = "bad_cursor"
    /// A header or a query parameter has an invalid value.
    case malformed
    /// A bulk cannot contain requests with this path: send the request by itself.
    case notInBulk = "not_in_bulk"
}
