import AdapterMQTT
import ArgumentParser
import DoorwardAdapterKit
import DoorwardClient
import DoorwardDomain
import DoorwardYAML

/// `doorward profile`: commands for MQTT profiles, which need neither a broker nor a gateway.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show the profiles of MQTT locks, and test new ones.",
        discussion: """
            A profile describes a kind of locks: their topics, and the meaning of their messages. PROFILE is the name of one that \
            Doorward comes with, or the path of a YAML file. None of these commands needs a broker or a gateway.
            """,
        subcommands: [ProfileList.self, ProfileShow.self, ProfileDecode.self, ProfileEncode.self, ProfileCheck.self])
}

/// `doorward profile list`: lists the shipped profiles.
struct ProfileList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the profiles that Doorward comes with.",
        discussion: "Shows the name of each, the address keys that it needs, and what it is for.")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions

    func run() {
        let profiles = ProfileLibrary.shipped.ids.compactMap { ProfileLibrary.shipped[$0] }
        output.print(["profiles": profiles.map(\.object)]) { style in
            var table = Table("NAME", "NEEDS", "FOR", rows: profiles.map(Self.row))
            table.fittings = [.whole, .cut(to: 12), .cut(to: 12)]
            return table.lines(self.table.style(style))
        }
    }

    private static func row(_ profile: Profile) -> [Table.Cell] {
        let needed = profile.variables.filter(\.isRequired).map(\.name).joined(separator: ", ")
        return [Table.Cell(profile.id, .bold), Table.Cell(needed), Table.Cell(profile.description)]
    }
}

/// `doorward profile show`: prints one profile.
struct ProfileShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a profile.",
        discussion: """
            Prints the YAML, which can be the start of a profile for another lock; with --json the address variables and the \
            capabilities.

            Example: doorward profile show nuki-native > my-nuki.yaml
            """)

    @OptionGroup var named: NamedProfile
    @OptionGroup var output: OutputOptions

    func run() throws {
        let profile = try named.read()
        output.print(["profile": profile.object]) { _ in
            [String(profile.yaml.reversed().drop(while: \.isNewline).reversed())]
        }
    }
}

/// `doorward profile check`: finds the mistakes in a profile.
struct ProfileCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find the mistakes in a profile.",
        discussion: """
            Every mistake is printed with its line, with exit code 1. docs/profiles.md describes the format of profiles.

            Example: doorward profile check profiles/yale.yaml
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        var errors: YAMLErrors?
        do { _ = try Profile(path: file) } catch { errors = error }
        if output.json || errors == nil {
            let mistakes = errors?.errors.map { ["line": $0.line, "key": $0.key, "message": $0.message] as JSONObjectText } ?? []
            output.print(["file": file, "mistakes": mistakes]) { _ in ["\(file.printable): no mistakes"] }
        }
        if let errors { throw CommandFailure("the profile", errors) }
    }
}

extension Profile {
    /// The profile as `--json` prints it.
    fileprivate var object: JSONObjectText {
        [
            "id": id, "version": version, "description": description, "source": origin,
            "capabilities": ProfileCapability.allCases.filter { capabilities.contains($0) }.map(\.rawValue),
            "variables": variables.map(\.object), "timeoutSeconds": timeoutSeconds,
        ]
    }
}

extension ProfileVariable {
    fileprivate var object: JSONObjectText {
        let (type, words): (String, [String]?) =
            switch form {
            case .text: ("text", nil)
            case .integer: ("integer", nil)
            case .boolean: ("boolean", nil)
            case .any: ("any", nil)
            case .words(let words): ("word", words.keys.sorted())
            }
        return [
            "name": name, "isRequired": isRequired, "default": defaultValue, "type": type, "words": words, "aliases": aliases,
            "meaning": description,
        ]
    }
}

/// A profile given on the command line.
struct NamedProfile: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The name of a profile that Doorward comes with, or the path of a YAML file.", valueName: "profile"),
        completion: .list(ProfileLibrary.shipped.ids))
    var profile: String

    /// - Throws: every mistake of a file, or an error for an unknown profile name.
    func read() throws -> Profile {
        if let shipped = ProfileLibrary.shipped[profile] { return shipped }
        guard profile.contains("/") || profile.hasSuffix(".yaml") || profile.hasSuffix(".yml") else {
            let names = ProfileLibrary.shipped.ids
            let sentence = NameMatch.missing(
                profile, of: names, noun: "profile", otherwise: "The profiles are \(names.joined(separator: ", ")).")
            throw CommandFailure("\(sentence) To use a file, give its path, such as ./my-lock.yaml.", code: 2)
        }
        do { return try Profile(path: profile) } catch { throw CommandFailure("\(error)") }
    }
}

extension AddressOptions {
    /// The messages of the lock with this address.
    ///
    /// - Throws: an error that lists the problem of each key.
    func dialect(of profile: Profile) throws -> Dialect {
        let values = Dictionary(address.map { ($0.key, $0.value(for: nil).domain) }, uniquingKeysWith: { first, _ in first })
        do {
            return try Dialect(profile, variables: values)
        } catch {
            let sentences = error.errors.map { Self.sentence($0, profile) }
            throw CommandFailure("the address is not one of `\(profile.id)`:\n  \(sentences.joined(separator: "\n  "))", code: 2)
        }
    }

    private static func sentence(_ mistake: AddressErrors.Mistake, _ profile: Profile) -> String {
        let key = mistake.field.hasPrefix("address.") ? String(mistake.field.dropFirst("address.".count)) : mistake.field
        let variable = profile.variables.first { $0.name == key }
        switch mistake.problem {
        case "required": return "\(key) is needed: \(variable?.description ?? "")"
        case "unknown_key":
            let names = profile.variables.map(\.name)
            let hint =
                nearestName(to: key, among: names).map { "did you mean \($0)?" } ?? "it has \(names.joined(separator: ", "))"
            return "\(key.printable) is not a part of it; \(hint)"
        case "malformed":
            return "\(key.printable) cannot be used: it gives a topic with wildcards, or an ambiguous text"
        default: return "\(key.printable): \(mistake.problem.replacing("_", with: " "))"
        }
    }
}

extension Doorward.JSONValue {
    /// Converts the value to the type that the gateway uses internally.
    fileprivate var domain: JSONValue {
        switch self {
        case .null: .null
        case .bool(let truth): .bool(truth)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .array(let items): .array(items.map(\.domain))
        case .object(let fields): .object(fields.mapValues(\.domain))
        }
    }
}

/// An operation of a lock, as named on the command line and in profiles.
struct MovementArgument: ExpressibleByArgument {
    let operation: LockOperation

    init?(argument: String) {
        switch argument.lowercased() {
        case "lock": operation = .lock
        case "unlock": operation = .unlock
        case "open", "unlatch": operation = .unlatch
        default: return nil
        }
    }

    static let allValueStrings = ["lock", "unlock", "open"]
}
