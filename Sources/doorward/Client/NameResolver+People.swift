import DoorwardAPI
import DoorwardClient
import DoorwardDomain

extension NameResolver {
    /// The guest of a guest access, as sent to the gateway.
    enum Guest: Equatable, Sendable {
        case person(id: String, name: String)
        /// The gateway resolves the address to a user.
        case address(String)
        /// A guest without an account, who cannot operate a lock.
        case label(String)

        /// The guest's display name.
        var name: String {
            switch self {
            case .person(_, let name), .address(let name), .label(let name): name
            }
        }
    }

    /// Finds a person by id, email address or name, and returns the id.
    ///
    /// - Throws: an error for a name that matches no known person, or several.
    func person(_ text: String) async throws -> String {
        if Self.isID(text) { return text }
        return try await knownPerson(text, otherwise: "Name the person by email address or id.").id
    }

    /// Finds the person that a question about a lock is about: `me`, the caller by name or email address, or another person.
    ///
    /// - Returns: `nil` for the caller.
    func askedPerson(_ text: String, on lock: String) async throws -> NameMatch? {
        if text.lowercased() == "me" { return nil }
        if Self.isID(text) { return NameMatch(id: text, name: text, place: nil) }
        if let me = try await caller(), let mine = try NameMatch.match(text, of: me, noun: "person") { return mine }
        return try await knownPerson(text, on: lock, otherwise: "Name the person by email address or id.")
    }

    /// The id of the caller; `nil` for an API key, which is no person.
    func callerID() async throws -> String? { try await me()?.id }

    /// The caller by name and by email address; `nil` for an API key, which is no person.
    private func caller() async throws -> [NameMatch]? {
        try await me().map { me in
            [me.fullName, me.email].compactMap(\.self).map { NameMatch(id: me.id, name: $0, place: me.email) }
        }
    }

    private func me() async throws -> Wire.User? {
        do {
            return try await client.users.me().content.user
        } catch ClientError.refused(let refusal) where refusal.status == 403 || refusal.status == 404 {
            return nil
        }
    }

    /// Finds the guest of a new guest access by id, email address or name.
    ///
    /// - Throws: an error for a name that matches no known person, or several.
    func guest(_ text: String) async throws -> Guest {
        if Self.isID(text) { return .person(id: text, name: text) }
        if text.contains("@") { return .address(text.trimmed) }
        let person = try await knownPerson(
            text, otherwise: "Name the person by email address or id, or add --label for a guest without an account.")
        return .person(id: person.id, name: person.name)
    }

    /// Returns the error sentence for a guest that the gateway did not find.
    func missingGuest(_ guest: Guest) async -> String {
        guard case .address(let address) = guest else { return "There is no person with the id `\(guest.name.printable)`." }
        let addresses = (((try? await listedPeople()) ?? nil) ?? []).map(\.name).filter { $0.contains("@") }
        let hint = NameMatch.suggestion(for: address, among: addresses).map { " Did you mean `\($0.printable)`?" } ?? ""
        return "There is no person with the address `\(address.printable)`.\(hint)"
    }

    /// Finds a person that the caller may list, a guest of the caller's guest accesses, or a person in the caller's log.
    ///
    /// - Parameter lock: the id of a lock; a person who can open it is found, too.
    func knownPerson(_ text: String, on lock: String? = nil, otherwise: String) async throws -> NameMatch {
        let (found, listed) = try await search(text, noun: "person") { try await listedPeople($0) }
        if let found { return found }
        let others = try await guests() + holders(of: lock) + actors()
        if let person = try NameMatch.match(text, of: others, noun: "person") { return person }
        let names = (listed + others).map(\.name)
        throw CommandFailure(
            NameMatch.missing(text, of: names, noun: "person", otherwise: "None of the people that you may see has this name.")
                + "\n  " + otherwise)
    }

    /// Returns the people that the caller may list, each by name and by email address; `nil` if listing is denied.
    private func listedPeople(_ search: String? = nil) async throws -> [NameMatch]? {
        do {
            return try await client.users.list(search: search).all().content.flatMap { user in
                [user.fullName, user.email].compactMap(\.self).map { NameMatch(id: user.id, name: $0, place: user.email) }
            }
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            return nil
        }
    }

    /// The guests of the accesses that are visible to the caller, by name, address and the labels of the accesses.
    private func guests() async throws -> [NameMatch] {
        let guests = try await client.guestAccesses.list().all().content.flatMap { access in
            [access.guest?.name, access.guest?.email, access.guestUserId == nil ? nil : access.label].compactMap { name in
                name.map { NameMatch(id: access.guestUserId ?? "", name: $0, place: access.guest?.email ?? "a guest") }
            }
        }
        return Array(Set(guests))
    }

    /// The people who may see a lock, by the names that `doorward who-can` shows; none if the caller may not ask.
    private func holders(of lock: String?) async throws -> [NameMatch] {
        guard let lock else { return [] }
        do {
            let entries = try await client.authorization.whoCan("VIEW_STATUS", on: lock).all().content
            return entries.map(\.principal).compactMap { principal in
                guard principal.kind == "USER", let id = principal.id, let name = principal.name else { return nil }
                return NameMatch(id: id, name: name, place: "who may use the lock")
            }
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            return []
        }
    }

    /// The actors in the caller's log.
    private func actors() async throws -> [NameMatch] {
        let records = try await client.accessRecords.newest(.init(), limit: 500).content.map(\.record)
        let actors = records.filter { $0.actorKind == "USER" }.compactMap { record in
            record.actorId.flatMap { id in
                (record.actorName ?? record.actor).map { NameMatch(id: id, name: $0, place: "in your log") }
            }
        }
        return Array(Set(actors))
    }
}
