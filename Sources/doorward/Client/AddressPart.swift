import ArgumentParser
import DoorwardAPI
import FoundationEssentials

/// One `KEY=VALUE` of a lock's address, or of an API request.
struct AddressPart: ExpressibleByArgument, Equatable, Sendable {
    let key: String
    /// The value that the text has as JSON, or the text itself if it is not JSON.
    let value: Wire.Value
    /// The text after the first `=`.
    let text: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        key = String(parts[0])
        let text = String(parts[1])
        self.text = text
        value =
            (try? JSONDecoder().decode(Wire.Value.self, from: Data(text.utf8))).flatMap { Self.kept($0, text) } ?? .string(text)
    }

    /// Returns `nil` for a number whose JSON form differs from the typed text, such as the lock id
    /// `398172E4`. The value is then sent as text.
    private static func kept(_ value: Wire.Value, _ text: String) -> Wire.Value? {
        switch value {
        case .integer(let number): "\(number)" == text ? value : nil
        case .number: text.contains { $0 == "e" || $0 == "E" } || !text.contains(".") ? nil : value
        default: value
        }
    }
}

/// `--address`, shared by all commands that have it.
struct AddressOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Parts of the lock's address; several can follow, and the option can be repeated.", valueName: "key=value"),
        transform: { text in
            guard let part = AddressPart(argument: text) else {
                throw ValidationError("write it as KEY=VALUE, as in `name=gate`.")
            }
            return part
        })
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
            if isAddress, !isValueNext, !argument.hasPrefix("-"), AddressPart(argument: argument) != nil {
                expanded.append("--address")
            }
            if !isValueNext {
                isAddress =
                    argument == "--address" || argument.hasPrefix("--address=")
                    || isAddress && !argument.hasPrefix("-") && AddressPart(argument: argument) != nil
            }
            isValueNext = argument == "--address" && !isValueNext
            expanded.append(argument)
        }
        return expanded
    }
}
