/// The responses of the HTTP API, as clients decode them.
///
/// A field that the reader may not see is absent, and a field without a value is `null`. Both are `nil` here. Unknown keys are
/// ignored, and the values of enumerations (states, roles, reasons) are strings, so that clients can decode responses of a newer
/// gateway. Instants are RFC 3339 texts in UTC with milliseconds.
package enum Wire {}
