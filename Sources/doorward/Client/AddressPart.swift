import ArgumentParser
import DoorwardAPI
import FoundationEssentials

/// One `KEY=VALUE` of a lock's address, or of a call of the API.
struct AddressPart: ExpressibleByArgument, Equatable {
    let key: String
    /// What the text says as JSON, or the text itself where it says nothing as JSON.
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

    /// A number that would not be written as it was typed is a name that looks like one: `398172E4` is the id of a lock.
    private static func kept(_ value: Wire.Value, _ text: String) -> Wire.Value? {
        switch value {
        case .integer(let number): "\(number)" == text ? value : nil
        case .number: text.contains { $0 == "e" || $0 == "E" } || !text.contains(".") ? nil : value
        default: value
        }
    }
}
