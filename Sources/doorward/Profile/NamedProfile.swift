import AdapterMQTT
import ArgumentParser
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardDomain

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

/// The address of one lock, from `--address`.
struct LockAddress: ParsableArguments {
    @OptionGroup var options: AddressOptions

    /// - Throws: an error that lists the problem of each key.
    func dialect(of profile: Profile) throws -> Dialect {
        let values = Dictionary(
            options.address.map { ($0.key, $0.value(for: nil).domain) }, uniquingKeysWith: { first, _ in first })
        do {
            return try Dialect(profile, variables: values)
        } catch {
            let sentences = error.mistakes.map { Self.sentence($0, profile) }
            throw CommandFailure("the address is not one of `\(profile.id)`:\n  \(sentences.joined(separator: "\n  "))", code: 2)
        }
    }

    private static func sentence(_ mistake: AddressErrors.Mistake, _ profile: Profile) -> String {
        let key = mistake.field.hasPrefix("address.") ? String(mistake.field.dropFirst("address.".count)) : mistake.field
        let variable = profile.variables.first { $0.name == key }
        switch mistake.problem {
        case "required": return "\(key) is needed: \(variable?.meaning ?? "")"
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

extension Wire.Value {
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
