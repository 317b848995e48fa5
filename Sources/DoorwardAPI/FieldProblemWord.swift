/// What can be wrong with a field of a request, as `details.fields[].problem` says it. Rules of single use cases add their
/// own words, such as `end_not_after_start`.
package enum FieldProblemWord: String, CaseIterable, Codable, Sendable {
    /// The body is no JSON at all.
    case notJSON = "not_json"
    /// A text has more than 30 combining marks in a row (Unicode's Stream-Safe Text Format).
    case tooManyMarks = "too_many_combining_marks"
    /// The same key stands twice.
    case duplicateKey = "duplicate_key"
    /// The object has no such key; nothing that is sent is ignored.
    case unknownKey = "unknown_key"
    /// The field is missing, and has no default.
    case required
    /// Another JSON type than the field takes.
    case wrongType = "wrong_type"
    /// More characters, bytes or elements than `WireLimits` allows.
    case tooLong = "too_long"
    /// A page of so many items has more bytes than `WireLimits` allows.
    case pageTooLarge = "page_too_large"
    /// Fewer characters or bytes than the field takes.
    case tooShort = "too_short"
    /// Nothing but white space.
    case blank
    /// A control character, which would break a line of a log or a terminal.
    case controlCharacter = "control_character"
    /// A number that is too small or too large for the field.
    case outOfRange = "out_of_range"
    /// None of the words that the field knows.
    case unknownValue = "unknown_value"
    /// Not of the form of one email address.
    case badEmail = "bad_email"
    /// An instant without a zone or offset.
    case missingZone = "missing_zone"
    /// No instant of RFC 3339.
    case badTime = "bad_time"
    /// No name of a time zone that the gateway knows.
    case unknownZone = "unknown_zone"
    /// The gateway alone sets this field.
    case readOnly = "read_only"
    /// A cursor that this gateway did not make for this caller and these filters.
    case badCursor = "bad_cursor"
    /// A header that says something it cannot.
    case malformed
}
