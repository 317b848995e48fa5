import ArgumentParser
import DoorwardAPI
import FoundationEssentials

/// One `KEY=VALUE` of a lock's address.
struct AddressPart: ExpressibleByArgument, Equatable {
    let key: String
    /// What the text says as JSON, or the text itself where it says nothing as JSON.
    let value: Wire.Value

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        key = String(parts[0])
        value = (try? JSONDecoder().decode(Wire.Value.self, from: Data(parts[1].utf8))) ?? .string(String(parts[1]))
    }
}
