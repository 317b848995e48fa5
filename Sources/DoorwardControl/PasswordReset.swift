package import DoorwardDomain

/// Names a reset in records.
package typealias PasswordResetID = EntityID<PasswordReset>

/// The right to set one user's password once without knowing the old one, for whoever holds its token. A user has one at
/// the most: a new one replaces the last. It ends when its creator loses the right to create it, and when the roles or guest
/// accesses of its user change: its holder can sign in as that user, with all rights that the user has by then.
package struct PasswordReset: Hashable, Sendable {
    /// Names it in records; not the token, and no way to it.
    package let id: PasswordResetID
    /// Whose password it sets.
    package let userID: UserID
    /// The super admin who made it; `nil` for one that was made on the gateway's own host.
    package let madeBy: UserID?
    /// When it was made.
    package let createdAt: Timestamp
    /// From this instant on it is good for nothing.
    package let expiresAt: Timestamp

    /// How long the token may be used.
    package static let lifetime = Duration.seconds(86_400)

    package init(id: PasswordResetID, userID: UserID, madeBy: UserID?, createdAt: Timestamp, expiresAt: Timestamp) {
        (self.id, self.userID, self.madeBy) = (id, userID, madeBy)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }

    /// A new one, from `now` on.
    init(of userID: UserID, madeBy: UserID?, at now: Timestamp, _ random: RandomSource) {
        self.init(
            id: random.id(at: now), userID: userID, madeBy: madeBy, createdAt: now, expiresAt: now.advanced(by: Self.lifetime))
    }

    /// A reset with the one copy of its token, to be handed over.
    package struct Offer: Sendable {
        /// Whose password it sets.
        package let user: User
        /// What `POST /auth/reset-password` takes. It is stored nowhere.
        package let token: Secret<String>
        /// From this instant on the token is good for nothing.
        package let expiresAt: Timestamp

        /// The page of a gateway that people reach at `base`, with the token. The token stands behind `#`, so that a browser
        /// sends it to no server and writes it into no log.
        ///
        /// - Parameter base: `https://locks.example.org`, with or without a slash at the end; `nil` gives the path alone.
        package func url(under base: String?) -> Secret<String> {
            var base = base ?? ""
            while base.hasSuffix("/") { base.removeLast() }
            return Secret("\(base)/reset-password#token=\(token.reveal())")
        }
    }

    /// What a record of its making says.
    var auditFields: [String: RecordValue] {
        ["userId": .string(userID.description), "expiresAt": .string(expiresAt.description)]
    }
}

extension RecordTarget {
    init(_ reset: PasswordReset) { self.init(type: "PasswordReset", id: reset.id.description) }
}
