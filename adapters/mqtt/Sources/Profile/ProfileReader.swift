internal import DoorwardDomain
internal import Yams

extension Profile {
    /// Maximum bytes of a file, 64 KiB: ten times the longest shipped one.
    static let maxFileBytes = 65_536

    /// Reads a profile file; `docs/profiles.md` describes the format.
    ///
    /// - Parameters:
    ///   - yaml: the text of the file.
    ///   - file: its name, for messages.
    /// - Throws: every mistake of the file, each with its line.
    package init(yaml: String, file: String) throws(ProfileErrors) {
        let mistakes = ProfileMistakeList()
        let profile = ProfileReader(mistakes).read(yaml)
        guard let profile, mistakes.all.isEmpty else { throw ProfileErrors(file: file, mistakes.all) }
        self = profile
    }
}

/// Reads a profile from YAML, and collects its mistakes.
struct ProfileReader {
    let mistakes: ProfileMistakeList

    init(_ mistakes: ProfileMistakeList) { self.mistakes = mistakes }

    func read(_ yaml: String) -> Profile? {
        guard let root = compose(yaml), let file = ProfileSection(root, "", keys: ProfileKeys.profile, mistakes) else {
            return nil
        }
        var profile = Profile()
        profile.yaml = yaml
        readIdentity(file, &profile)
        profile.variables = VariableReader(mistakes).read(file)
        let base = file.field("base")
        profile.base = base.flatMap { $0.text }.map { ProfileTemplate($0) }
        profile.hook = file.word("hook", DialectHook.self)
        let parts = ProfileParser(mistakes, Names(profile.variables, hasBase: base != nil))
        if let base { parts.checkBase(base, profile.variables) }
        parts.read(file, into: &profile)
        profile.abilities = ProfileCapability.all(of: profile.parts).union(profile.hook?.abilities ?? [])
        if mistakes.all.isEmpty { ProfileJudge(file, profile, mistakes).judge() }
        return profile
    }

    private func readIdentity(_ file: ProfileSection, _ profile: inout Profile) {
        file.require("profile", "commands")
        profile.id =
            file.value("profile", "a name of lower-case letters, digits and dashes") { text in
                let isName = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
                return isName && (1...40).contains(text.count) ? text : nil
            } ?? ""
        profile.version = file.text("version") ?? ""
        profile.description = file.text("description") ?? ""
        profile.origin = file.text("source") ?? ""
        profile.quirks = Set(file.items("quirks").compactMap { file.word($0, $0.text, ProfileQuirk.self) })
    }

    // MARK: YAML

    private func compose(_ yaml: String) -> Node? {
        guard yaml.utf8.count <= Profile.maxFileBytes else {
            mistakes.add(nil, "", "the file is longer than \(Profile.maxFileBytes) bytes; a profile is a page or two")
            return nil
        }
        guard !isDeep(yaml) else { return nil }
        do {
            let parser = try Parser(yaml: yaml)
            guard let root = try parser.singleRoot() else {
                mistakes.add(1, "", "the file is empty; a profile begins with `profile: NAME`")
                return nil
            }
            guard !hasAnchor(root) else { return nil }
            return root
        } catch {
            mistakes.add(
                (error as? YamlError)?.line(in: yaml), "", "not YAML: \((error as? YamlError)?.problem ?? "it cannot be read")")
            return nil
        }
    }

    /// Whether the nesting is too deep. Checked before the text is parsed, as the parser is recursive and could overflow the stack.
    private func isDeep(_ yaml: String) -> Bool {
        var line = 1
        var depth = 0
        // Consecutive characters that each open another level: `- - - a` is a list in a list in a list.
        var run = 0
        for byte in yaml.utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            case UInt8(ascii: "\n"): line += 1
            default: break
            }
            run = Self.indents.contains(byte) ? run + 1 : 0
            if depth > 40 || run > 200 {
                mistakes.add(line, "", "the file nests too deeply")
                return true
            }
        }
        return false
    }

    private static let indents = Set(" \t-?:".utf8)

    /// Whether the file has anchors and aliases, which could expand a small file to a large one.
    private func hasAnchor(_ node: Node) -> Bool {
        if let anchor = node.anchor {
            mistakes.add(node.mark?.line, "", "`&\(anchor.rawValue)`: anchors and aliases are not taken; write the value out")
            return true
        }
        if let mapping = node.mapping { return mapping.contains { hasAnchor($0.key) || hasAnchor($0.value) } }
        return node.sequence?.contains { hasAnchor($0) } ?? false
    }
}

/// The variables that a template may name.
struct Names {
    let variables: [String: ProfileVariable]
    let all: Set<String>

    init(_ variables: [ProfileVariable], hasBase: Bool) {
        self.variables = Dictionary(variables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        all = Set(variables.map(\.name) + (hasBase ? ["base"] : []))
    }
}
