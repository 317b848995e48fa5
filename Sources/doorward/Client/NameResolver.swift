import DoorwardAPI
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import FoundationEssentials

/// Finds entities by id, by a name that is unique among the visible ones, or by the beginning of an id.
struct NameResolver: Sendable {
    let client: DoorwardClient

    init(_ client: DoorwardClient) { self.client = client }

    /// Finds a lock by name. An id is not looked up: the gateway decides whether the lock is visible.
    func lock(_ text: String) async throws -> NameMatch {
        if Self.isID(text) { return NameMatch(id: text, name: text) }
        return try await one(text, noun: "lock", listing: "`doorward locks` lists the locks that you may see.") { search in
            try await client.devices.list(search: search).all().content.map {
                NameMatch(id: $0.id, name: $0.name, place: LockView($0).place)
            }
        } others: { listed in
            // The list has no locks of guest accesses outside of their windows, whose denials the gateway explains to the guest.
            guard let me = try await me()?.id else { return [] }
            let accesses = try await client.guestAccesses.list().all().content.filter { $0.guestUserId == me }
            var names = try await lockNames(of: accesses, known: listed.map { ($0.id, $0.name) })
            for lock in listed { names[lock.id] = nil }
            return names.map { NameMatch(id: $0.key, name: $0.value, place: "a guest access") }
        }
    }

    /// Looks up the names of the locks of guest accesses by id, except of those that are known. Only the first 50 accesses with other
    /// locks are asked for.
    private func lockNames(
        of accesses: [Doorward.GuestAccess], known: [(id: String, name: String)]
    ) async throws -> [String: String] {
        var (names, asked) = (Dictionary(known) { first, _ in first }, 0)
        for access in accesses where asked < 50 && !(access.deviceIds ?? []).allSatisfy({ names[$0] != nil }) {
            asked += 1
            for lock in try await client.guestAccesses.locks(of: access.id) { names[lock.id] = names[lock.id] ?? lock.name }
        }
        return names
    }

    /// Finds the property and the unit by their names. The unit is searched in the property, if one is given.
    func place(property: String?, unit: String?) async throws -> (propertyID: String?, unitID: String?) {
        let propertyID: String? = if let property { try await self.property(property) } else { nil }
        guard let unit, !Self.isID(unit) else { return (propertyID, unit) }
        let found = try await one(unit, noun: "unit", listing: Self.listing([.unit])) { search in
            try await units(search, named: unit, propertyID: propertyID, place: nil)
        }
        return (propertyID, found.id)
    }

    func property(_ text: String) async throws -> String { try await entity(text, of: [.property]).id }

    /// Finds an entity by its name, which the gateway searches for; only if none has exactly this name, among all that the caller may
    /// list, by id or the beginning of an id.
    ///
    /// - Parameters:
    ///   - listing: a sentence that explains how to list the entities, if no name is near.
    ///   - hint: a line after the error.
    ///   - list: lists the entities whose name contains a text, or all for `nil`; returns `nil` if the caller may list none.
    ///   - others: returns further entities, if none of the listed ones is found.
    /// - Throws: an error if there is no such entity.
    func one(
        _ text: String, noun: String, listing: String, hint: String = "",
        _ list: (_ search: String?) async throws -> [NameMatch]?,
        others: (_ listed: [NameMatch]) async throws -> [NameMatch] = { _ in [] }
    ) async throws -> NameMatch {
        var listed: [NameMatch]? = []
        if let search = NameMatch.searchable(text) {
            listed = try await list(search)
            let named = NameMatch.matching(text, of: listed ?? [])
            if let found = try NameMatch.match(text, of: named, noun: noun) { return found }
        }
        if listed != nil { listed = try await list(nil) }
        if let found = try NameMatch.match(text, of: listed ?? [], noun: noun) { return found }
        let others = try await others(listed ?? [])
        if let found = try NameMatch.match(text, of: others, noun: noun) { return found }
        let names = ((listed ?? []) + others).map(\.name)
        throw CommandFailure(NameMatch.missing(text, of: names, noun: noun, otherwise: listing) + hint)
    }

    /// Ids are UUIDs. A lock whose name looks like a UUID can be addressed only by its id.
    static func isID(_ text: String) -> Bool { UUID(uuidString: text) != nil }
}

/// Runs a request.
///
/// - Returns: `nil` if the gateway refuses it with one of these statuses.
func unlessRefused<Result>(with statuses: Set<Int>, _ request: () async throws -> Result) async throws -> Result? {
    do {
        return try await request()
    } catch ClientError.refused(let refusal) where statuses.contains(refusal.status) {
        return nil
    }
}

extension NameResolver {
    /// Finds a guest access by id, label or the guest's name. An ended access is found only if no other access has this name.
    func guestAccess(_ text: String) async throws -> NameMatch {
        if Self.isID(text) { return NameMatch(id: text, name: text) }
        let accesses = try await client.guestAccesses.list().all().content
        let (locks, now) = (try await lockNames(in: accesses), SystemClock().now())
        let views = accesses.map { GuestAccessView(access: $0, lockNames: locks, now: now) }
        let open = views.filter { !$0.isOver }.flatMap(\.candidates)
        return try NameMatch.one(
            text, of: NameMatch.matching(text, of: open).isEmpty ? views.flatMap(\.candidates) : open, noun: "guest access",
            listing: "`doorward grants` lists the guest accesses that you may see.")
    }

    /// Looks up the names of the locks of guest accesses that are visible to the caller, by id.
    func lockNames(in accesses: [Doorward.GuestAccess]) async throws -> [String: String] {
        guard !accesses.isEmpty else { return [:] }
        let listed = try await client.devices.list().all().content
        return try await lockNames(of: accesses, known: listed.map { ($0.id, $0.name) })
    }
}

extension NameResolver {
    /// Finds a person that the caller may list, a guest of the caller's guest accesses, or a person in the caller's log, by id, email
    /// address or name.
    ///
    /// - Parameters:
    ///   - lock: the id of a lock; a person who can open it is found, too.
    ///   - hint: the sentence after the error.
    func person(
        _ text: String, on lock: String? = nil, hint: String = "Name the person by email address or id."
    ) async throws -> NameMatch {
        if Self.isID(text) { return NameMatch(id: text, name: text) }
        let unknown = "None of the people that you may see has this name."
        return try await one(text, noun: "person", listing: unknown, hint: "\n  \(hint)") {
            try await listedPeople($0)
        } others: { _ in
            try await guests() + holders(of: lock) + actors()
        }
    }

    /// Finds the person that a question about a lock is about: `me`, the caller by name or email address, or another person.
    ///
    /// - Returns: `nil` for the caller.
    func askedPerson(_ text: String, on lock: String) async throws -> NameMatch? {
        if text.lowercased() == "me" { return nil }
        let mine = Self.isID(text) ? [] : try await me()?.matches ?? []
        if let me = try NameMatch.match(text, of: mine, noun: "person") { return me }
        return try await person(text, on: lock)
    }

    /// The caller; `nil` for an API key, which is not a person.
    private func me() async throws -> Doorward.User? {
        try await unlessRefused(with: [403, 404]) { try await client.users.me().content }
    }

    /// Returns the error sentence for a guest that the gateway did not find; `nil` for a guest without an account.
    func missingGuest(_ access: Doorward.GuestAccessFields) async -> String? {
        guard let address = access.guestEmail else {
            return access.guestUserId.map { "There is no person with the id `\($0.printable)`." }
        }
        let addresses = (((try? await listedPeople()) ?? nil) ?? []).map(\.name).filter { $0.contains("@") }
        let hint = NameMatch.suggestion(for: address, among: addresses).map { " Did you mean `\($0.printable)`?" } ?? ""
        return "There is no person with the address `\(address.printable)`.\(hint)"
    }

    /// Returns the people that the caller may list, each by name and by email address; `nil` if listing is denied.
    private func listedPeople(_ search: String? = nil) async throws -> [NameMatch]? {
        try await unlessRefused(with: [403]) { try await client.users.list(search: search).all().content.flatMap(\.matches) }
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
        let entries = try await unlessRefused(with: [403]) { try await client.whoCan(.viewStatus, on: lock).all().content }
        return (entries ?? []).map(\.principal).compactMap { principal in
            guard principal.kind == "USER", let id = principal.id, let name = principal.name else { return nil }
            return NameMatch(id: id, name: name, place: "who may use the lock")
        }
    }

    /// The actors in the caller's log.
    private func actors() async throws -> [NameMatch] {
        let records = try await client.accessRecords.newest(.all, limit: 500).map(\.value)
        let actors = records.filter { $0.actorKind == "USER" }.compactMap { record in
            record.actorId.flatMap { id in
                (record.actorName ?? record.actor).map { NameMatch(id: id, name: $0, place: "in your log") }
            }
        }
        return Array(Set(actors))
    }
}

extension NameResolver {
    /// Returns the time zone of a property; `nil` if it has none, or if the caller may not read the property.
    func timeZone(ofProperty id: String?) async throws -> String? {
        guard let id else { return nil }
        return try await unlessRefused(with: [403, 404]) { try await client.properties.get(id).content }?.defaultTimeZone
    }
}

extension Doorward.User {
    /// The person by name and by email address.
    var matches: [NameMatch] { [fullName, email].compactMap(\.self).map { NameMatch(id: id, name: $0, place: email) } }
}

/// An entity that a name can refer to.
struct NameMatch: Hashable, Sendable {
    let id: String
    /// The name, else the id that was typed.
    let name: String
    /// A text such as the location or the email address, to distinguish the entity from others with the same name.
    var place: String?

    /// The entity in a sentence: the name and the id, or the id that was typed.
    var nameAndID: String { name == id ? id.printable : "\(name.printable), id \(id.printable)" }

    /// Returns the candidates with this name, ignoring case and surrounding spaces.
    static func matching(_ text: String, of candidates: [NameMatch]) -> [NameMatch] {
        let name = Self.folded(text)
        return candidates.filter { Self.folded($0.name) == name }
    }

    /// Returns the only match.
    ///
    /// - Parameter listing: a hint that explains how to list the candidates.
    /// - Throws: an error if there is no match, or an error that lists the matches if there are several.
    static func one(_ text: String, of candidates: [NameMatch], noun: String, listing: String) throws -> NameMatch {
        if let candidate = try match(text, of: candidates, noun: noun) { return candidate }
        throw CommandFailure(missing(text, of: candidates.map(\.name), noun: noun, otherwise: listing))
    }

    /// Returns the match by id, name or beginning of an id, in this order; `nil` if there is none.
    ///
    /// - Throws: an error that lists the matches if there are several.
    static func match(_ text: String, of candidates: [NameMatch], noun: String) throws -> NameMatch? {
        if let candidate = candidates.first(where: { $0.id == text }) { return candidate }
        let named = matching(text, of: candidates)
        guard Set(named.map(\.id)).count <= 1 else {
            throw several("More than one \(noun) is named `\(text.printable)`. Use the id of one of them:", named)
        }
        if let candidate = named.first { return candidate }
        let begun = candidates.filter { IDPrefix.matches(text, $0.id) }
        guard Set(begun.map(\.id)).count <= 1 else {
            throw several("The id of more than one \(noun) begins with `\(text.printable)`. Type more of it:", begun)
        }
        return begun.first
    }

    /// Returns the sentence for a name without a match.
    ///
    /// - Parameters:
    ///   - names: the existing names; the nearest one is suggested.
    ///   - otherwise: the sentence that follows if no name is near.
    static func missing(_ text: String, of names: some Sequence<String>, noun: String, otherwise: String) -> String {
        let next = suggestion(for: text, among: names).map { "Did you mean `\($0.printable)`?" } ?? otherwise
        return "There is no \(noun) named `\(text.printable)`. \(next)"
    }

    /// Returns the name that was probably meant: the most similar name. If no name is similar
    /// enough, returns the only name that contains the text.
    static func suggestion(for text: String, among names: some Sequence<String>) -> String? {
        let (names, typed) = (Set(names), folded(text))
        guard !typed.isEmpty else { return nil }
        if typed.contains("@") { return nearestAddress(to: typed, among: names.sorted()) }
        if let name = nearestName(to: text, among: names.filter { !$0.contains("@") }.sorted()) { return name }
        guard typed.count >= 3 else { return nil }
        let containing = names.filter { !$0.contains("@") && folded($0).contains(typed) }
        return containing.count == 1 ? containing.first : nil
    }

    /// Returns the email address that was probably meant. It has the same domain and a similar name, or the same name and a
    /// similar domain. Whole addresses are not compared, because addresses of one domain are always similar.
    private static func nearestAddress(to text: String, among names: [String]) -> String? {
        func parts(_ address: String) -> (name: String, domain: String)? {
            guard let at = address.lastIndex(of: "@") else { return nil }
            return (address[..<at].lowercased(), address[at...].lowercased())
        }
        guard let typed = parts(text) else { return nil }
        return names.first { address in
            guard let other = parts(address) else { return false }
            if other.domain == typed.domain { return nearestName(to: typed.name, among: [other.name]) != nil }
            return other.name == typed.name && nearestName(to: typed.domain, among: [other.domain]) != nil
        }
    }

    private static func several(_ sentence: String, _ candidates: [NameMatch]) -> CommandFailure {
        var ids: Set<String> = []
        let lines = candidates.filter { ids.insert($0.id).inserted }.map {
            "  " + [$0.name, $0.place, $0.id].compactMap { $0?.printable }.joined(separator: "  ")
        }
        return CommandFailure(([sentence] + lines).joined(separator: "\n"))
    }

    /// The text that the gateway can search names for; `nil` for an email address, and for a text that no name contains.
    static func searchable(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        let isName = scalars.count <= WireLimits.nameCharacters && !scalars.contains { $0.properties.generalCategory == .control }
        return isName && !folded(text).isEmpty && !text.contains("@") ? text : nil
    }

    private static func folded(_ text: String) -> String { text.trimmed.lowercased() }
}
