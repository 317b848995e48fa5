import DoorwardAPI
import DoorwardClient
import DoorwardControl

extension Finder {
    /// The person that a guest access is for; `nil` where the text is but a label.
    ///
    /// - Throws: a failure for an email address of nobody, and for whatever names several. Whoever may not list people gives
    ///   them by id.
    func guest(_ text: String) async throws -> (id: String, name: String)? {
        do {
            if let user = try await user(text) { return user }
        } catch ClientError.refused(let refusal) where refusal.status == 403 {
            guard text.contains("@") else { return nil }
            throw CommandFailure("you may not look people up: name `\(text.printable)` by their id")
        }
        guard !text.contains("@") else { throw CommandFailure("there is nobody `\(text.printable)`; nothing was granted") }
        return nil
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
