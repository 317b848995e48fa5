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
        let (locks, now) = (try await lockNames(in: accesses), SystemClock().now())
        let views = accesses.map { GuestAccessView($0, lockNames: locks, now: now) }
        let open = views.filter { !$0.isOver }.flatMap(\.candidates)
        let meant = NameMatch.matching(text, of: open).isEmpty ? views.flatMap(\.candidates) : open
        let found = try NameMatch.one(
            text, of: meant, noun: "guest access", listing: "`doorward grants` lists the guest accesses that you may see.")
        return (found.id, found.name)
    }

    /// Looks up the names of the locks of guest accesses that are visible to the caller, by id.
    func lockNames(in accesses: [Wire.GuestAccess]) async throws -> [String: String] {
        guard !accesses.isEmpty else { return [:] }
        let listed = try await client.devices.list().all().content.map { ($0.id, $0.name) }
        let locks = Dictionary(listed, uniquingKeysWith: { first, _ in first })
        let others = try await lockNames(of: accesses, besides: Set(locks.keys))
        return locks.merging(others) { first, _ in first }
    }
}
