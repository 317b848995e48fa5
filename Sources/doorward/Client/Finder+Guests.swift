import DoorwardAPI
import DoorwardClient
import DoorwardControl

extension Finder {
    /// The guest of a guest access, as it is sent to the gateway.
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

    /// The person that a guest access is for, by id, email address or name.
    ///
    /// - Throws: a failure for a name that matches no known person, or several.
    func guest(_ text: String) async throws -> Guest {
        if Self.isID(text) { return .person(id: text, name: text) }
        if text.contains("@") { return .address(text) }
        var found = Candidate.bearing(text, of: try await listedPeople())
        // A guest holds no role, so that a manager's list does not have them.
        if found.isEmpty { found = Candidate.bearing(text, of: try await guestsAndActors()) }
        guard !found.isEmpty else {
            throw CommandFailure(
                "there is nobody `\(text.printable)` among the people that you may see; nothing was granted\n"
                    + "  name the person by email address or id, or add --label for a guest without an account")
        }
        let one = try Candidate.one(text, of: found, noun: "person", listing: "")
        return .person(id: one.id, name: one.name)
    }

    /// The people that the caller may list; empty if the caller is denied.
    private func listedPeople() async throws -> [Candidate] {
        do {
            return try await client.users.list().all().content.compactMap { user in
                user.fullName.map { Candidate(id: user.id, name: $0, place: user.email) }
            }
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            return []
        }
    }

    /// The guests of labelled accesses that the caller can see, and the actors in the caller's log.
    private func guestsAndActors() async throws -> [Candidate] {
        let guests = try await client.guestAccesses.list().all().content.compactMap { access in
            access.guestUserId.flatMap { id in access.label.map { Candidate(id: id, name: $0, place: "a guest") } }
        }
        let records = try await client.accessRecords.newest(.init(), atMost: 500).content.map(\.record)
        let actors = records.filter { $0.actorKind == "USER" }.compactMap { record in
            record.actorId.flatMap { id in
                (record.actorName ?? record.actor).map { Candidate(id: id, name: $0, place: "in your log") }
            }
        }
        return Array(Set(guests + actors))
    }

    /// A guest access, by id, label or the guest's name. Those that have ended count only where no other is called so.
    ///
    /// - Returns: `name` is `nil` for one that was given by its id.
    func guestAccess(_ text: String) async throws -> (id: String, name: String?) {
        if Self.isID(text) { return (text, nil) }
        let accesses = try await client.guestAccesses.list().all().content
        let (names, now) = (try await names(in: accesses), SystemClock().now())
        let views = accesses.map { GuestAccessView($0, names: names, now: now) }
        let open = views.filter { !$0.isOver }.flatMap(\.candidates)
        let meant = Candidate.bearing(text, of: open).isEmpty ? views.flatMap(\.candidates) : open
        let found = try Candidate.one(text, of: meant, noun: "guest access", listing: "`doorward grants` lists them")
        return (found.id, found.name)
    }

    /// Names of the locks and people of guest accesses, as far as the caller may know them.
    func names(in accesses: [Wire.GuestAccess]) async throws -> GuestNames {
        guard !accesses.isEmpty else { return GuestNames() }
        let locks = try await client.devices.list().all().content.map { ($0.id, $0.name) }
        return GuestNames(
            locks: Dictionary(locks, uniquingKeysWith: { first, _ in first }), people: try await people(in: accesses))
    }

    private func people(in accesses: [Wire.GuestAccess]) async throws -> [String: String] {
        guard accesses.contains(where: { $0.guestUserId != nil }) else { return [:] }
        do {
            let people = try await client.users.list().all().content.map { ($0.id, $0.fullName ?? $0.email ?? $0.id) }
            return Dictionary(people, uniquingKeysWith: { first, _ in first })
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            let me = try await client.users.me().content.user
            return [me.id: "you"]
        }
    }
}
