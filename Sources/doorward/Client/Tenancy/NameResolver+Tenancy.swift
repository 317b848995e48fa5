import DoorwardClient
import DoorwardDomain

extension NameResolver {
    /// A portfolio, property or unit as given on the command line.
    struct FoundEntity: Equatable, Sendable {
        let kind: AssociatedEntityType
        let id: String
        /// The name, else the id that was typed.
        let name: String

        /// The entity as the client's calls about roles take it.
        var roleEntity: Roles.Entity {
            switch kind {
            case .portfolio: .portfolio(id)
            case .property: .property(id)
            case .unit: .unit(id)
            }
        }
    }

    /// Finds a portfolio, property or unit of one of these kinds by id, name or the beginning of an id. A unit is also found by
    /// the names of its property and itself, as in `Quay 1 / 1A`. An id is looked up only if the kind is not known.
    func entity(_ text: String, of kinds: [AssociatedEntityType]) async throws -> FoundEntity {
        if kinds.count == 1, Self.isID(text) { return FoundEntity(kind: kinds[0], id: text, name: text) }
        let noun = Self.list(kinds.map(\.noun), "or")
        var candidates: [(kind: AssociatedEntityType, match: NameMatch)] = []
        let found = try await one(text, noun: noun, listing: Self.listing(kinds)) { search in
            candidates = []
            for kind in kinds {
                let place = kinds.count == 1 ? nil : kind.noun
                let matches =
                    kind == .unit
                    ? try await units(search, named: text, propertyID: nil, place: place)
                    : try await matches(of: kind, search: search, place: place)
                candidates += matches.map { (kind, $0) }
            }
            return candidates.map(\.match)
        }
        let kind = candidates.first { $0.match == found }?.kind ?? kinds[0]
        return FoundEntity(kind: kind, id: found.id, name: found.name)
    }

    /// Returns the names, by id, of the visible entities of these kinds. Requests one list for each kind.
    func names(of kinds: some Collection<AssociatedEntityType>) async throws -> [String: String] {
        var names: [String: String] = [:]
        for kind in Set(kinds) {
            for place in try await matches(of: kind) { names[place.id] = place.name }
        }
        return names
    }

    // MARK: - Private

    /// Lists the entities of a kind.
    ///
    /// - Parameters:
    ///   - search: the text that the names contain; `nil` for all.
    ///   - place: the text that distinguishes them from entities of other kinds.
    private func matches(of kind: AssociatedEntityType, search: String? = nil, place: String? = nil) async throws -> [NameMatch] {
        func list<Noun: Place>(_ places: Resource<Noun>) async throws -> [NameMatch] {
            try await places.list(search: search).all().content.map { NameMatch(id: $0.id, name: $0.name, place: place) }
        }
        return switch kind {
        case .portfolio: try await list(client.portfolios)
        case .property: try await list(client.properties)
        case .unit: try await list(client.units)
        }
    }

    /// Lists units by name. The properties are listed only if the text names one, or to distinguish several units.
    func units(_ search: String?, named text: String, propertyID: String?, place: String?) async throws -> [NameMatch] {
        let slash = text.lastIndex(of: "/")
        let name = search.flatMap { search in NameMatch.searchable(slash.map { String(text[$0...].dropFirst()) } ?? search) }
        let units = try await client.units.list([("propertyId", propertyID)], search: name).all().content
        let properties = try await names(of: units.count > 1 || (slash != nil && !units.isEmpty) ? [.property] : [])
        return units.flatMap { Self.matches($0, property: $0.propertyId.flatMap { properties[$0] }, place: place) }
    }

    /// Returns the unit under its own name, and under the names of its property and itself.
    static func matches(_ unit: Doorward.Unit, property: String?, place: String?) -> [NameMatch] {
        let location = [place, property].compactMap(\.self).joined(separator: " in ")
        let names = [unit.name] + (property.map { ["\($0) / \(unit.name)"] } ?? [])
        return names.map { NameMatch(id: unit.id, name: $0, place: location.isEmpty ? nil : location) }
    }

    /// Returns the sentence that says how to list entities of these kinds.
    static func listing(_ kinds: [AssociatedEntityType]) -> String {
        let commands = list(kinds.map { "`doorward \($0.noun) list`" }, "and")
        guard kinds.count == 1 else { return "\(commands) list what you may see." }
        return "\(commands) lists the \(DisplayText.plural(kinds[0].noun)) that you may see."
    }

    private static func list(_ items: [String], _ conjunction: String) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

extension AssociatedEntityType {
    /// The name of the kind in the command line: `portfolio`, `property`, `unit`.
    var noun: String { DisplayText.word(rawValue) }
}
