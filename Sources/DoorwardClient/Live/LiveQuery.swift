/// Selects objects of one type, by the filters of the type's list: `.property(id)`, or `.all`. Equal queries share one
/// subscription at the gateway.
public struct LiveQuery<Noun: LiveNoun>: Hashable, Sendable {
    /// The filters by their names in the API.
    public let filters: [String: String]

    /// Creates a query with filters of the API that this library has no function for.
    public init(filters: [String: String]) { self.filters = filters }

    /// Everything that the person sees.
    public static var all: Self { Self(filters: [:]) }

    /// This query, with another filter. Filters are joined by *and*.
    public func with(_ filter: String, _ value: String) -> Self { Self(filters: filters.merging([filter: value]) { $1 }) }

    /// The filters as items of a query of the API, in the order of their names.
    var items: [(name: String, value: String?)] { filters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// The query as data.
    public var need: Need { Need(type: Noun.streamType, filters: filters) }
}

extension LiveQuery where Noun == Doorward.LockDevice {
    /// The locks of a property.
    public static func property(_ id: String) -> Self { Self(filters: ["propertyId": id]) }
    /// The locks of a unit.
    public static func unit(_ id: String) -> Self { Self(filters: ["unitId": id]) }
}

extension LiveQuery where Noun == Doorward.Unit {
    /// The units of a property.
    public static func property(_ id: String) -> Self { Self(filters: ["propertyId": id]) }
}

extension LiveQuery where Noun == Doorward.Property {
    /// The properties of a portfolio.
    public static func portfolio(_ id: String) -> Self { Self(filters: ["portfolioId": id]) }
}

extension LiveQuery where Noun == Doorward.GuestAccess {
    /// The guest accesses to a lock.
    public static func device(_ id: String) -> Self { Self(filters: ["deviceId": id]) }
    /// The guest accesses of a unit.
    public static func unit(_ id: String) -> Self { Self(filters: ["unitId": id]) }
    /// The guest accesses of a property.
    public static func property(_ id: String) -> Self { Self(filters: ["propertyId": id]) }
}

extension LiveQuery where Noun == Doorward.Command {
    /// The person's own commands to a lock.
    public static func device(_ id: String) -> Self { Self(filters: ["deviceId": id]) }
}

extension LiveQuery where Noun == Doorward.AccessRecord {
    /// The records of a lock.
    public static func device(_ id: String) -> Self { Self(filters: ["deviceId": id]) }
    /// The records of a unit.
    public static func unit(_ id: String) -> Self { Self(filters: ["unitId": id]) }
    /// The records of a property.
    public static func property(_ id: String) -> Self { Self(filters: ["propertyId": id]) }
    /// The records of a portfolio.
    public static func portfolio(_ id: String) -> Self { Self(filters: ["portfolioId": id]) }
    /// The records of a person's actions.
    public static func user(_ id: String) -> Self { Self(filters: ["userId": id]) }
}

/// A type and a query, as data: what a view needs.
public struct Need: Hashable, Sendable, CustomStringConvertible {
    /// The type of the objects.
    public let type: StreamType
    /// The filters by their names in the API.
    public let filters: [String: String]

    public init(type: StreamType, filters: [String: String] = [:]) { (self.type, self.filters) = (type, filters) }

    /// Locks.
    public static func devices(_ query: LiveQuery<Doorward.LockDevice> = .all) -> Need { query.need }
    /// Units.
    public static func units(_ query: LiveQuery<Doorward.Unit> = .all) -> Need { query.need }
    /// Properties.
    public static func properties(_ query: LiveQuery<Doorward.Property> = .all) -> Need { query.need }
    /// Portfolios.
    public static func portfolios(_ query: LiveQuery<Doorward.Portfolio> = .all) -> Need { query.need }
    /// Guest accesses.
    public static func guestAccesses(_ query: LiveQuery<Doorward.GuestAccess> = .all) -> Need { query.need }
    /// The person's own commands.
    public static func commands(_ query: LiveQuery<Doorward.Command> = .all) -> Need { query.need }

    /// The query as the API takes it: `name=value`, percent-encoded, joined by `&`, in the order of the names.
    package var query: String {
        filters.sorted { $0.key < $1.key }.map { APIRequest.encoded($0.key, $0.value) }.joined(separator: "&")
    }

    /// Such as `device?propertyId=…`.
    public var description: String { filters.isEmpty ? type.rawValue : "\(type.rawValue)?\(query)" }
}

/// A view, or its model, that declares which data it reads. `Live.open` subscribes to exactly this, and a read of anything else
/// fails.
public protocol DataNeeds {
    /// What the view reads.
    var needs: [Need] { get }
}
