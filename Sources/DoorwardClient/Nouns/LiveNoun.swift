/// An object of the API that a client can read and watch.
///
/// A member is `nil` if it has no value, or if the reader may not see it. `viewLevel` distinguishes the two: see `FieldAccess`.
public protocol LiveNoun: Codable, Equatable, Identifiable, Sendable where ID == String {
    /// The type's name in the stream, such as `device`.
    static var streamType: StreamType { get }
}

/// An object that the API returns by its id and in lists.
public protocol NamedNoun: Decodable, Sendable {
    /// The path of the list.
    static var listPath: String { get }
    /// The field by which lists are sorted.
    static var listOrder: String { get }
    /// The key of the list in a response.
    static var listKey: String { get }
    /// The key of one object in a response.
    static var objectKey: String { get }
}

extension NamedNoun {
    /// The path of the list, where it is the key of the list.
    public static var listPath: String { listKey }
    /// The name.
    public static var listOrder: String { "name" }
}

/// An object that the API lists and returns by its id, and that can be watched.
public protocol ListedNoun: LiveNoun, NamedNoun {}

extension ListedNoun {
    /// The name of the type in the stream.
    public static var objectKey: String { streamType.rawValue }
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
