import ArgumentParser
import DoorwardAPI
import DoorwardAdapterKit
import FoundationEssentials

/// One `KEY=VALUE` or `KEY:=JSON` of a lock's address.
struct AddressPart: Equatable, Sendable {
    let key: String
    /// The text after the `=`, as it was typed.
    let text: String
    /// The value of a `KEY:=JSON`; `nil` for a `KEY=VALUE`.
    private let json: Wire.Value?

    /// - Throws: an error that shows the right form, or names the key whose value is not JSON.
    init(argument: String) throws(ValidationError) {
        guard let (name, text) = Self.split(argument) else {
            throw ValidationError("write it as KEY=VALUE, as in `name=gate`.")
        }
        let isJSON = name.hasSuffix(":")
        (key, self.text) = (isJSON ? String(name.dropLast()) : name, text)
        json = isJSON ? Wire.Value(json: text) : nil
        guard !isJSON || json != nil else {
            throw ValidationError(
                "the value of `\(key.printable)` is not JSON. Write \(key.printable)=VALUE to send it as text.")
        }
    }

    /// Returns the value for a field of an adapter. The text of a `KEY=VALUE` stays text unless the field takes numbers, `true` and
    /// `false`, or lists: a lock may be called `12` or `true`, and a payload may be `{"bolt":"out"}`.
    ///
    /// - Parameter form: the values that the field takes; `nil` for a field that is not known here.
    func value(for form: AddressField.Form?) -> Wire.Value {
        if let json { return json }
        switch form {
        case .text, .word, nil: return .string(text)
        case .boolean, .integer, .number, .words: return Wire.Value(json: text) ?? .string(text)
        }
    }

    /// Returns the text before and the text after the first `=`; `nil` if there is no key.
    static func split(_ argument: String) -> (key: String, text: String)? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0] != ":" else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}

extension Wire.Value {
    /// Reads a text as JSON; `nil` if it is not JSON.
    init?(json text: String) {
        guard let value = try? JSONDecoder().decode(Wire.Value.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}

/// `--address`, shared by all commands that have it.
struct AddressOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Parts of the lock's address; several can follow, and the option can be repeated.", valueName: "key=value"),
        transform: { try AddressPart(argument: $0) })
    var address: [AddressPart] = []

    func validate() throws {
        if let twice = Dictionary(grouping: address.map(\.key), by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("The address has two values for `\(twice.printable)`.")
        }
    }

    /// Inserts `--address` before each further `KEY=VALUE`: `--address a=1 b=2` becomes `--address a=1 --address b=2`. The parser
    /// can read either single values or all words up to the next option, and arguments may follow the address.
    static func expanded(_ arguments: [String]) -> [String] {
        var (expanded, isAddress, isValueNext): ([String], Bool, Bool) = ([], false, false)
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return expanded + arguments[index...] }
            if isAddress, !isValueNext, !argument.hasPrefix("-"), AddressPart.split(argument) != nil {
                expanded.append("--address")
            }
            if !isValueNext {
                isAddress =
                    argument == "--address" || argument.hasPrefix("--address=")
                    || isAddress && !argument.hasPrefix("-") && AddressPart.split(argument) != nil
            }
            isValueNext = argument == "--address" && !isValueNext
            expanded.append(argument)
        }
        return expanded
    }
}
