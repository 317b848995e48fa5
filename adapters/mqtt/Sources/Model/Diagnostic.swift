/// What was odd about a message. Never holds a code or a PIN.
package enum Diagnostic: Hashable, Sendable, CustomStringConvertible {
    /// Not UTF-8, too long, or not of the form that the profile says.
    case malformedPayload
    /// Well formed, and no value that the profile knows; the raw text, at most 64 characters.
    case unmappedValue(String)
    /// A number that cannot be.
    case outOfRange
    /// The broker kept an event: it happened some time ago, or never.
    case retainedEventIgnored
    /// Somebody left a command on the broker, which every lock that subscribes anew would obey.
    case retainedCommandFound
    /// An answer to no command, or to another one.
    case unexpectedAck

    /// The rule's name, and the raw text where there is one.
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
