internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Takes the keys of an address one by one and gathers what is wrong with them.
struct AddressReader {
    private var rest: [String: JSONValue]
    private var mistakes: [AddressMistakes.Mistake] = []

    init(_ address: [String: JSONValue]) { rest = address }

    /// Throws all mistakes, keys that nobody took among them.
    func finish() throws(AddressMistakes) {
        let unknown = rest.keys.map { AddressMistakes.Mistake(field: "address.\($0)", problem: "unknown_key") }
        let all = (mistakes + unknown).sorted { $0.field < $1.field }
        if !all.isEmpty { throw AddressMistakes(all) }
    }

    // Each answers `nil` where the key is absent, or wrong and noted.

    mutating func integer(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = rest.removeValue(forKey: key) else { return nil }
        guard case .integer(let number) = value else { return wrong(key, "wrong_type") }
        return range.contains(number) ? number : wrong(key, "out_of_range")
    }

    /// A number from 0 to 1.
    mutating func rate(_ key: String) -> Double? {
        let number: Double
        switch rest.removeValue(forKey: key) {
        case nil: return nil
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        default: return wrong(key, "wrong_type")
        }
        return (0...1).contains(number) ? number : wrong(key, "out_of_range")
    }

    mutating func state(_ key: String, of allowed: [LockState]) -> LockState? {
        guard let value = rest.removeValue(forKey: key) else { return nil }
        guard case .string(let name) = value else { return wrong(key, "wrong_type") }
        guard let state = LockState(rawValue: name), allowed.contains(state) else { return wrong(key, "out_of_range") }
        return state
    }

    /// A list of names of the domain's capabilities.
    mutating func capabilities(_ key: String) -> LockCapabilities? {
        guard let value = rest.removeValue(forKey: key) else { return nil }
        guard case .array(let items) = value else { return wrong(key, "wrong_type") }
        var names: [String] = []
        for item in items {
            guard case .string(let name) = item else { return wrong(key, "wrong_type") }
            names.append(name)
        }
        return LockCapabilities(names: names) ?? wrong(key, "unknown_capability")
    }

    private mutating func wrong<Value>(_ key: String, _ problem: String) -> Value? {
        mistakes.append(AddressMistakes.Mistake(field: "address.\(key)", problem: problem))
        return nil
    }
}
