import DoorwardAPI
import DoorwardAdapterKit
import DoorwardClient

/// The known keys of an adapter's addresses, and their known values, for messages about a wrong address.
struct AddressHints: Equatable, Sendable {
    /// The keys, in the order of the adapter.
    private let names: [String]
    /// The allowed values by key; empty for a key whose allowed values are not known.
    private let values: [String: [String]]
    /// Whether an address can have no other keys.
    private let isComplete: Bool

    /// Reads the keys from `GET /adapters`. For users who may not call it, takes the keys that this program's own adapter has
    /// without a configuration.
    init(of kind: String, _ client: DoorwardClient) async {
        let answer = try? await client.adapters.list().content
        self.init(of: kind, answer?.adapters.first { $0.kind == kind }.map { $0.address.map { ($0.field, $0.values ?? []) } })
    }

    /// - Parameter fields: the keys in the gateway's response; `nil` if there was no response.
    init(
        of kind: String, _ fields: [(name: String, values: [String])]?, adapters: [any AdapterFactory] = ShippedAdapters.all
    ) {
        let adapter = adapters.first { $0.guide.kind == kind }
        let known: [(name: String, values: [String])] = fields ?? adapter?.addressFields.map { ($0.name, $0.form.words) } ?? []
        names = known.map(\.name)
        values = Dictionary(known) { first, _ in first }
        isComplete = adapter.map { !$0.hasFurtherAddressFields } ?? false
    }

    /// Returns the option for messages about a key that has its own option.
    ///
    /// - Parameter value: the typed value; `nil` if the option was not typed.
    func option(_ name: String, key: String, value: String?) -> FieldOption {
        FieldOption(name, value: value, candidates: values[key] ?? [])
    }

    /// Returns the option for messages about a key of `--address`. If there is no such key, the candidates are the known keys.
    func option(key: String, value: String?) -> FieldOption {
        guard isComplete, value != nil, values[key] == nil else { return option("--address \(key)", key: key, value: value) }
        return FieldOption("--address \(key)", value: key, candidates: names)
    }
}

extension AddressField.Form {
    /// The allowed values, if only certain values are allowed.
    fileprivate var words: [String] {
        switch self {
        case .word(let words), .words(let words): words
        case .text, .boolean, .integer, .number: []
        }
    }
}
