extension Wire {
    /// A person.
    package struct User: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Seen by whoever shares a unit with them.
        package var firstName: String?
        /// Seen by co-tenants and managers.
        package var lastName: String?
        /// What they sign in with; seen by managers and themselves.
        package var email: String?
        /// Whether they may do anything; seen by managers.
        package var isEnabled: Bool?
        /// Whether they run the gateway.
        package var isSuperAdmin: Bool?

        /// First and last name, as far as the reader may know them; `nil` without either.
        package var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// `data` of an answer about one person.
    package struct UserAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var user: User
    }

    /// `data` of a page of people.
    package struct UserPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var users: [User]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
