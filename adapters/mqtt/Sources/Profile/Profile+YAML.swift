internal import DoorwardDomain
package import DoorwardYAML

extension YAMLFormat {
    /// Profiles, of at most 64 KiB: ten times the longest shipped one.
    static let profile = YAMLFormat(
        "a profile", maxBytes: 65_536,
        hints: ("; a profile is a page or two", "; a profile begins with `profile: NAME`"), linePrefix: ":",
        ignoresEmptyValues: true, removedKeys: ProfileKeys.removed, removedWords: ProfileKeys.removedWords)
}

extension Profile {
    /// Reads a profile file; `docs/profiles.md` describes the format.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for messages.
    /// - Throws: every mistake of the file, each with its line.
    package init(yaml: String, file: String) throws(YAMLErrors) {
        self = try YAMLFormat.profile.read(yaml, file: file, keys: ProfileKeys.profile) { Profile($0, yaml) }
    }

    /// Reads a profile file on disk.
    ///
    /// - Parameter path: also the name in messages.
    /// - Throws: all mistakes of the file, or an error if it cannot be read.
    package init(path: String) throws(YAMLErrors) {
        try self.init(yaml: YAMLFormat.profile.text(ofFile: path), file: path)
    }

    private init(_ file: YAMLSection, _ yaml: String) {
        self.init()
        self.yaml = yaml
        readIdentity(file)
        variables = ProfileVariable.all(in: file["vars"])
        let parser = ProfileParser(variables, hasBase: file["base"].isPresent)
        base = parser.base(file["base"])
        hook = file["hook"].word(DialectHook.self)
        parser.read(file, into: &self)
        capabilities = ProfileCapability.all(of: parts).union(hook?.capabilities ?? [])
        if file.isFileSound { validate(file) }
    }

    private mutating func readIdentity(_ file: YAMLSection) {
        file.require("profile", "commands")
        id =
            file["profile"].value("a name of lower-case letters, digits and dashes") { text in
                let isName = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
                return isName && (1...40).contains(text.count) ? text : nil
            } ?? ""
        version = file["version"].text() ?? ""
        description = file["description"].text() ?? ""
        origin = file["source"].text() ?? ""
        quirks = Set(file["quirks"].items().compactMap { $0.word(ProfileQuirk.self) })
    }
}
