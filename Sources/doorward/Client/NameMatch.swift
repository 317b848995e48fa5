import DoorwardAPI
import DoorwardDomain

/// An entity that a name can refer to.
struct NameMatch: Hashable, Sendable {
    let id: String
    let name: String
    /// A text such as the location or the email address, to distinguish the entity from others with the same name.
    let place: String?

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

    private static func folded(_ text: String) -> String {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return String(trimmed).lowercased()
    }
}
