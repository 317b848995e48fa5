import DoorwardAPI
import DoorwardAdapterKit
import DoorwardClient

/// What is known of the keys of an adapter's addresses, for messages about a wrong address.
struct AddressHints: Equatable, Sendable {
    /// The keys, in the order of the adapter.
    private let names: [String]
    /// The allowed values by key; empty for a key of which they are not known.
    private let values: [String: [String]]
    /// Whether an address has no other key.
    private let isComplete: Bool

    /// As `GET /adapters` has them; for people who may not call it, as the adapter of this program has them without a configuration.
    init(of kind: String, _ client: DoorwardClient) async {
        let answer = try? await client.adapters.list().content
        self.init(of: kind, answer?.adapters.first { $0.kind == kind }.map { $0.address.map { ($0.field, $0.values ?? []) } })
    }

    /// - Parameter fields: those of the gateway's answer; `nil` without one.
    init(
        of kind: String, _ fields: [(name: String, values: [String])]?, adapters: [any AdapterFactory] = ShippedAdapters.all
    ) {
        let adapter = adapters.first { $0.guide.kind == kind }
        let known: [(name: String, values: [String])] = fields ?? adapter?.addressFields.map { ($0.name, $0.form.words) } ?? []
        names = known.map(\.name)
        values = Dictionary(known) { first, _ in first }
        isComplete = adapter.map { !$0.hasFurtherAddressFields } ?? false
    }

    /// How a message names a key that has an option of its own.
    ///
    /// - Parameter value: what was typed; `nil` if the key was not.
    func option(_ name: String, key: String, value: String?) -> FieldOption {
        FieldOption(name, value: value, candidates: values[key] ?? [])
    }

    /// How a message names a key of `--address`; the candidates for a key that there is not are the keys.
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
