/// The responses of the HTTP API, as clients decode them.
///
/// A field that the reader may not see is absent, and one without a value is `null`: both are `nil` here. Unknown keys are ignored,
/// and enumerations (states, roles, reasons) are plain texts, so that responses of a newer gateway can be decoded. Instants are RFC
/// 3339 texts in UTC with milliseconds.
package enum Wire {}
