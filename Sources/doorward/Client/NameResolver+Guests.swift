import DoorwardAPI
import DoorwardClient
import DoorwardControl

extension NameResolver {
    /// Finds a guest access by id, label or the guest's name. An ended access is found only if no other access has this name.
    ///
    /// - Returns: the id, and the name by which the access was found; `nil` as the name if `text` is an id.
    func guestAccess(_ text: String) async throws -> (id: String, name: String?) {
        if Self.isID(text) { return (text, nil) }
        let accesses = try await client.guestAccesses.list().all().content
        let (names, now) = (try await names(in: accesses), SystemClock().now())
        let views = accesses.map { GuestAccessView($0, names: names, now: now) }
        let open = views.filter { !$0.isOver }.flatMap(\.candidates)
        let meant = NameMatch.matching(text, of: open).isEmpty ? views.flatMap(\.candidates) : open
        let found = try NameMatch.one(
            text, of: meant, noun: "guest access", listing: "`doorward grants` lists the guest accesses that you may see.")
        return (found.id, found.name)
    }

    /// Looks up the names of the locks and people of guest accesses that are visible to the caller.
    func names(in accesses: [Wire.GuestAccess]) async throws -> GuestNames {
        guard !accesses.isEmpty else { return GuestNames() }
        let listed = try await client.devices.list().all().content.map { ($0.id, $0.name) }
        let locks = Dictionary(listed, uniquingKeysWith: { first, _ in first })
        let others = try await lockNames(of: accesses, besides: Set(locks.keys))
        return GuestNames(locks: locks.merging(others) { first, _ in first }, people: try await people(in: accesses))
    }

    /// Returns the names, by id, of the people that the caller may list and of other users who are actors in the caller's log.
    private func people(in accesses: [Wire.GuestAccess]) async throws -> [String: String] {
        let guests = Set(accesses.compactMap(\.guestUserId))
        guard !guests.isEmpty else { return [:] }
        var people: [String: String] = [:]
        do {
            for user in try await client.users.list().all().content { people[user.id] = user.fullName ?? user.email }
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            let me = try await client.users.me().content.user
            people[me.id] = "you"
        }
        guard !guests.isSubset(of: people.keys) else { return people }
        for record in try await client.accessRecords.newest(.init(), limit: 500).content.map(\.record) {
            guard record.actorKind == "USER", let id = record.actorId, let name = record.actorName else { continue }
            people[id] = people[id] ?? name
        }
        return people
    }
}
