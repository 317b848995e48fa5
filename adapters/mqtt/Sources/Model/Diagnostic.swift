/// A malformed or unexpected property of a message. Never contains a code or a PIN.
package enum Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The payload is not UTF-8, too long, or not in the form that the profile gives.
    case malformedPayload
    /// The value is well formed, but not in the profile; the raw text, at most 64 characters.
    case unmappedValue(String)
    /// A number is out of range.
    case outOfRange
    /// An event was retained: it happened some time ago, or never.
    case retainedEventIgnored
    /// A command is retained on the broker. A lock would execute it each time that it subscribes.
    case retainedCommandFound
    /// The message is a response, but not to the command in flight.
    case unexpectedAck

    /// The diagnostic's name, and the raw text if there is one.
    package var description: String {
        switch self {
        case .malformedPayload: "malformedPayload"
        case .unmappedValue(let raw): "unmappedValue: \(raw)"
        case .outOfRange: "outOfRange"
        case .retainedEventIgnored: "retainedEventIgnored"
        case .retainedCommandFound: "retainedCommandFound"
        case .unexpectedAck: "unexpectedAck"
        }
    }
}
