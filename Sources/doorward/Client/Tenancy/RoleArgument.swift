import ArgumentParser
import DoorwardDomain

/// A role as typed by a user, such as `property-manager` or `PROPERTY_MANAGER`.
struct RoleArgument: Equatable, Sendable {
    let role: Role

    /// The roles that can be assigned, highest first.
    static let assignable = Role.allCases.filter { role in
        AssociatedEntityType.allCases.contains { $0.assignableRoles.contains(role) }
    }

    /// The assignable roles as typed.
    static let names = assignable.map { $0.rawValue.lowercased().replacing("_", with: "-") }

    /// A sentence for help texts.
    static let help = """
        owner, portfolio-admin and auditor are held on a portfolio, property-manager, maintenance and auditor on a property, \
        tenant on a unit.
        """

    /// - Throws: a `ValidationError` that lists the roles if there is no such role.
    init(_ text: String) throws {
        let name = text.uppercased().map { $0 == "-" || $0 == " " ? "_" : $0 }
        guard let role = Self.assignable.first(where: { $0.rawValue == String(name) }) else {
            throw ValidationError(
                NameMatch.missing(
                    text, of: Self.names, noun: "role", otherwise: "The roles are \(Self.names.joined(separator: ", "))."))
        }
        self.role = role
    }

    /// The name of the role in the API.
    var word: String { role.rawValue }

    /// The kinds of entity that the role can be held on.
    var kinds: [AssociatedEntityType] { AssociatedEntityType.allCases.filter { $0.assignableRoles.contains(role) } }
}
