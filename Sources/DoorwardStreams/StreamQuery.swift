package import DoorwardDomain
package import DoorwardKernel

/// The types of objects on a stream. Raw values are those of the API.
package enum StreamType: String, CaseIterable, Sendable {
    /// Locks with their status.
    case device
    /// Units of properties.
    case unit
    /// Properties of portfolios.
    case property
    /// Portfolios.
    case portfolio
    /// Guest accesses.
    case guestAccess
    /// Access records: complete and in the order of each log, not only their latest state.
    case accessRecord
    /// The caller's own commands.
    case command
    /// The caller's abilities: one object.
    case permissions
    /// The subscriptions of portfolios.
    case subscription
}

/// Selects the objects of one name of a stream. The filters are those of the type's list.
package enum StreamQuery: Sendable {
    /// Locks; the search applies to their names, as for the types below.
    case devices(DeviceFilter, NameSearch?)
    /// Units, all or those of one property.
    case units(PropertyID?, NameSearch?)
    /// Properties, all or those of one portfolio.
    case properties(PortfolioID?, NameSearch?)
    /// Portfolios.
    case portfolios(NameSearch?)
    /// Guest accesses; the search applies to their labels.
    case guestAccesses(GuestAccessFilter, NameSearch?)
    /// Access records; `nil` selects none, because two filters exclude each other.
    case accessRecords(RecordFilter?)
    /// The caller's own commands, all or those for one device.
    case commands(DeviceID?)
    /// The caller's abilities.
    case permissions
    /// Subscriptions, all or that of one portfolio.
    case subscriptions(PortfolioID?)

    /// The type of the selected objects.
    package var type: StreamType {
        switch self {
        case .devices: .device
        case .units: .unit
        case .properties: .property
        case .portfolios: .portfolio
        case .guestAccesses: .guestAccess
        case .accessRecords: .accessRecord
        case .commands: .command
        case .permissions: .permissions
        case .subscriptions: .subscription
        }
    }

    /// Whether the objects are read from the store: records and commands.
    var isStored: Bool { type == .accessRecord || type == .command }

    /// The query for all objects of the type.
    var withoutFilters: StreamQuery {
        switch self {
        case .devices: .devices(DeviceFilter(), nil)
        case .units: .units(nil, nil)
        case .properties: .properties(nil, nil)
        case .portfolios: .portfolios(nil)
        case .guestAccesses: .guestAccesses(GuestAccessFilter(), nil)
        case .accessRecords: .accessRecords(RecordFilter())
        case .commands: .commands(nil)
        case .permissions: .permissions
        case .subscriptions: .subscriptions(nil)
        }
    }
}

/// A subscription of a stream: a query under a name that the client has chosen.
package struct StreamName: Sendable {
    /// Unique in its stream.
    package let name: String
    /// The selected objects.
    package let query: StreamQuery
    /// The canonical text of type and query. Two queries with the same text select the same objects.
    package let text: String

    package init(name: String, query: StreamQuery, text: String) { (self.name, self.query, self.text) = (name, query, text) }

    /// The canonical text of all names of a stream, in any order. Positions of the stream are bound to it.
    package static func text(of names: [StreamName]) -> String {
        names.map { "\($0.name)\n\($0.text)" }.sorted().joined(separator: "\n\n")
    }
}

/// An object of a stream. It identifies the object and contains no value.
struct StreamObject: Hashable, Sendable {
    /// The type of the object.
    let type: StreamType
    private let id: EntityID<StreamObject>

    init<Entity>(_ type: StreamType, _ id: EntityID<Entity>) { (self.type, self.id) = (type, id.cast()) }

    /// The one object of the type `permissions`.
    static let permissions = StreamObject(.permissions, EntityID<StreamObject>(high: 0, low: 0))

    /// The object's id, converted to the id type of its entity; for a subscription, the id of its portfolio.
    func id<Entity>(of: Entity.Type = Entity.self) -> EntityID<Entity> { id.cast() }

    /// The id in the form of the API.
    var idText: String { id.description }
}
