/// The problem with a field of a request, reported in `details.fields[].problem`. Rules of single use cases add their own codes, such
/// as `end_not_after_start`.
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
    /// More characters, bytes or elements than `WireLimits` allows.
    case tooLong = "too_long"
    /// A page of this many items has more bytes than `WireLimits` allows.
    case pageTooLarge = "page_too_large"
    /// Fewer characters or bytes than the field requires.
    case tooShort = "too_short"
    /// Nothing but white space.
    case blank
    /// A control character, which would break a line of a log or a terminal.
    case controlCharacter = "control_character"
    /// A number that is too small or too large for the field.
    case outOfRange = "out_of_range"
    /// Not one of the field's values.
    case unknownValue = "unknown_value"
    /// Not an email address.
    case badEmail = "bad_email"
    /// An instant without a zone or offset.
    case missingZone = "missing_zone"
    /// Not an instant of RFC 3339.
    case badTime = "bad_time"
    /// Not a time zone that the gateway supports.
    case unknownZone = "unknown_zone"
    /// Only the gateway sets this field.
    case readOnly = "read_only"
    /// The cursor was not made by this gateway for this caller and these filters.
    case badCursor = "bad_cursor"
    /// A header or a part of the query with an invalid value.
    case malformed
}
