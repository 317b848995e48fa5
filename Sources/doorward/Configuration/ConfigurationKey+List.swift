extension ConfigurationKey {
    /// How many entries a list may have.
    static let maxEntries = 100

    /// Every list of sections: `mqtt`.
    static let lists = Set(all.compactMap(\.list))

    /// The list that the key is one of an entry of; `nil` for a key that there is once.
    private var list: String? { path.firstRange(of: ".N.").map { String(path[..<$0.lowerBound]) } }

    /// The same key of one entry: `mqtt.0.url`.
    func ofEntry(_ number: Int) -> ConfigurationKey { ConfigurationKey(path.replacing(".N.", with: ".\(number)."), form) }

    /// The key at a path, of an entry too.
    static func key(at path: String) -> ConfigurationKey? {
        if let key = byPath[path] { return key.list == nil ? key : nil }
        let words = path.split(separator: ".", maxSplits: 2)
        guard words.count == 3, let number = entryNumber(words[1]) else { return nil }
        return byPath["\(words[0]).N.\(words[2])"]?.ofEntry(number)
    }

    /// What a variable sets: a key, or one item of a key whose value is a list.
    static func key(of variable: String) -> (key: ConfigurationKey, item: Int?)? {
        if let key = wholeKey(of: variable) { return (key, nil) }
        guard let end = variable.lastIndex(of: "_"), let item = entryNumber(variable[end...].dropFirst()),
            let key = wholeKey(of: String(variable[..<end])), key.form.isList
        else { return nil }
        return (key, item)
    }

    private static let byVariable = Dictionary(uniqueKeysWithValues: all.map { ($0.variable, $0) })

    private static func wholeKey(of variable: String) -> ConfigurationKey? {
        if let key = byVariable[variable] { return key.list == nil ? key : nil }
        var words = variable.split(separator: "_", omittingEmptySubsequences: false)
        guard words.count > 3, let number = entryNumber(words[2]) else { return nil }
        words[2] = "N"
        return byVariable[words.joined(separator: "_")]?.ofEntry(number)
    }

    /// Nothing but the plain form is a number: one key has one name.
    private static func entryNumber(_ text: Substring) -> Int? {
        guard let number = Int(text), (0..<maxEntries).contains(number), String(number) == text else { return nil }
        return number
    }

    /// Every path that could have been meant: of a list, those of the entry that was named.
    static func known(near path: String) -> [String] {
        let entry = path.split(separator: ".").dropFirst().first.flatMap(entryNumber) ?? 0
        return all.map { $0.ofEntry(entry).path } + sections + lists
    }

    /// Every variable that could have been meant.
    static func knownVariables(near variable: String) -> [String] {
        let entry = variable.split(separator: "_").dropFirst(2).first.flatMap(entryNumber) ?? 0
        return all.map { $0.ofEntry(entry).variable }
    }
}
