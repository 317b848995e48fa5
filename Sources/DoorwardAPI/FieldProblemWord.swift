/// What can be wrong with a field of a request, as `details.fields[].problem` says it. Rules of single use cases add their
/// own words, such as `end_not_after_start`.
package enum FieldProblemWord: String, CaseIterable, Codable, Sendable {
    /// The body is no JSON at all.
    case notJSON = "not_json"
    /// The same key stands twice.
    case duplicateKey = "duplicate_key"
    case unknownKey = "unknown_key"
    case required
    case wrongType = "wrong_type"
    case tooLong = "too_long"
    case tooShort = "too_short"
    /// Nothing but white space.
    case blank
    case controlCharacter = "control_character"
    case outOfRange = "out_of_range"
    /// None of the words that the field knows.
    case unknownValue = "unknown_value"
    case badEmail = "bad_email"
    /// An instant without a zone or offset.
    case missingZone = "missing_zone"
    /// No instant of RFC 3339.
    case badTime = "bad_time"
    case unknownZone = "unknown_zone"
    case readOnly = "read_only"
    /// A cursor that this gateway did not make for this caller and these filters.
    case badCursor = "bad_cursor"
    /// A header that says something it cannot.
    case malformed
}
