/// The answers of the HTTP API as whoever reads them sees them.
///
/// A field that the reader's rights do not show is absent and one without a value is `null`: both are `nil` here. Keys that
/// are not known are passed over, and words (states, roles, reasons) are plain texts, so that a newer gateway is understood.
/// Instants are RFC 3339 texts in UTC with milliseconds.
package enum Wire {}
