/// An object of the API that a client can read and watch.
///
/// A member is `nil` if it has no value, or if the reader may not see it. `viewLevel` distinguishes the two: see `FieldAccess`.
public protocol LiveNoun: Codable, Equatable, Identifiable, Sendable where ID == String {
    /// The type's name in the stream, such as `device`.
    static var streamType: StreamType { get }
}

/// The types of objects in the stream.
public enum StreamType: String, Codable, CaseIterable, Sendable {
    /// Locks with their status.
    case device
    /// Flats, offices and other parts of a property.
    case unit
    /// Buildings and sites.
    case property
    /// The properties of one owner or company.
    case portfolio
    /// The rights of guests.
    case guestAccess
    /// Records of the access log.
    case accessRecord
    /// The caller's own commands.
    case command
    /// The caller's own abilities.
    case permissions
    /// The tier, modules and limits of portfolios.
    case subscription
}
