import DoorwardAdapterKit
import DoorwardDomain

/// The addresses of `FaultyAdapter`, with a field of each form.
enum FaultyAddress {
    /// The transports and their owners. A lock without a transport uses a shared one.
    static let transports: [String: TransportOwner] = ["ours": .portfolio(PortfolioID(high: 1, low: 1)), "spare": .gateway]

    /// Returns the owner of an address's transport, or `nil` if there is no transport of that name.
    static func owner(of address: [String: JSONValue]) -> TransportOwner? {
        guard let transport = address["way"] else { return .shared }
        if case .string(let name) = transport { return transports[name] }
        return nil
    }

    static func fields(_ fault: AdapterFault?) -> [AddressField] {
        let fields = [
            AddressField("door", .integer(0...999), isRequired: true, description: "The number of the door."),
            AddressField(
                "weight", .number(0...1), default: .number(fault == .defaultOutOfRange ? 2 : 0.5), description: "How heavy it is."
            ),
            AddressField("mode", .word(["whole", "limited"]), default: .string("whole"), description: "What it can do."),
            AddressField("tags", .words(["old", "new"]), default: .array([]), description: "What is said of it."),
            AddressField("note", .text, description: "Anything else."),
            AddressField("way", .text, description: "The way to it."),
            AddressField("isLoud", .boolean, default: .bool(false), description: "Whether it is heard."),
        ]
        return fault == .listsKeyTwice ? fields + fields.suffix(1) : fields
    }

    static func check(
        _ address: [String: JSONValue], within scope: TransportScope = .everything, _ fault: AdapterFault?
    ) throws(AddressErrors) -> LockCapabilities {
        let fields = fields(nil)
        var errors: [AddressErrors.Mistake] = []
        for field in fields {
            let isRequired = fault == .acceptsMissingKey ? false : field.isRequired || fault == .requiresEveryKey
            guard let value = address[field.name] else {
                if isRequired { errors.append(.init(field: "address.\(field.name)", problem: "required")) }
                continue
            }
            if let problem = problem(of: value, as: field.form, fault) {
                errors.append(.init(field: "address.\(field.name)", problem: problem))
            }
        }
        if case .string(let name)? = address["way"], !name.isEmpty, !isInScope(address, scope, fault) {
            errors.append(.init(field: "address.way", problem: "unknown"))
        }
        let unknown = fault == .acceptsUnknownKeys ? [] : Set(address.keys).subtracting(fields.map(\.name))
        errors += unknown.map { .init(field: "address.\($0)", problem: "unknown_key") }
        errors.sort { $0.field < $1.field }
        if !errors.isEmpty { throw AddressErrors(fault == .reportsFirstErrorOnly ? Array(errors.prefix(1)) : errors) }
        if fault == .wrongCapabilities { return [] }
        return address["mode"] == .string("limited") ? [.lock, .unlock] : .all
    }

    private static func isInScope(_ address: [String: JSONValue], _ scope: TransportScope, _ fault: AdapterFault?) -> Bool {
        guard let owner = owner(of: address) else { return false }
        if fault == .ignoresScope { return true }
        return fault == .hidesOwnTransport ? scope == .everything : scope.includes(owner)
    }

    private static func problem(of value: JSONValue, as form: AddressField.Form, _ fault: AdapterFault?) -> String? {
        switch (form, value) {
        case (.integer(let range), .integer(let number)):
            range.contains(number) || fault == .rangeTooLong && number == range.upperBound + 1 ? nil : "out_of_range"
        case (.number(let range), .number(let number)): range.contains(number) ? nil : "out_of_range"
        case (.word(let words), .string(let word)): words.contains(word) || fault == .acceptsAnyValue ? nil : "unknown_value"
        case (.words(let words), .array(let values)):
            values.allSatisfy { value in words.contains { value == .string($0) } } ? nil : "unknown_value"
        case (.text, .string(let text)): text.isEmpty ? "too_short" : nil
        case (.boolean, .bool): nil
        default: "wrong_type"
        }
    }
}
