import ArgumentParser
import DoorwardDomain

/// An operation on a lock, as typed on the command line: `unlock`, `view-status` or `VIEW_STATUS`.
struct OperationArgument: ExpressibleByArgument, Equatable, Sendable {
    let operation: LockOperation

    init?(argument: String) {
        let typed = argument.uppercased().replacing("-", with: "_").replacing(" ", with: "_")
        guard let operation = LockOperation(rawValue: typed) else { return nil }
        self.operation = operation
    }

    static var allValueStrings: [String] {
        LockOperation.allCases.map { $0.rawValue.lowercased().replacing("_", with: "-") }
    }

    /// The list of the allowed values, for help texts.
    static var help: String { allValueStrings.joined(separator: ", ") }

    var defaultValueDescription: String { operation.rawValue.lowercased().replacing("_", with: "-") }
}
