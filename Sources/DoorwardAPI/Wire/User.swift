extension Wire {
    /// A person.
    package struct User: Decodable, Equatable, Sendable {
        package var id: String
        package var firstName: String?
        package var lastName: String?
        package var email: String?
        package var isEnabled: Bool?
        package var isSuperAdmin: Bool?

        /// First and last name, as far as the reader may know them; `nil` without either.
        package var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// `data` of an answer about one person.
    package struct UserAnswer: Decodable, Sendable {
        package var user: User
    }

    /// `data` of a page of people.
    package struct UserPage: Decodable, Sendable {
        package var users: [User]
        package var pagination: Pagination
    }
}
