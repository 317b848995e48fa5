internal import DoorwardAdapterKit
internal import DoorwardControl
internal import DoorwardDomain

/// Which makes of locks the gateway speaks to.
enum AdapterRoutes {
    static let all: [Route] = [.get("/adapters", list)]

    private static func list(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let adapters = try call.control.adapterStates.all(for: call.caller)
        return .success { writer in
            writer.field("adapters") { writer in
                writer.array(adapters) { writer, adapter in
                    writer.object { writer in
                        writer.field("kind", adapter.kind)
                        writer.field("health", adapter.health.rawValue)
                        writer.field("deviceCount", adapter.deviceCount)
                        writer.field("onlineCount", adapter.onlineCount)
                        writer.field("address") { writer in writer.array(adapter.addressFields) { $1.write(into: &$0) } }
                    }
                }
            }
        }
    }
}

extension AddressField: JSONRenderable {
    /// `minimum` and `maximum` are there for numbers, `values` for words, and `null` otherwise.
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("field", name)
            writer.field("type", form.word)
            writer.field("required", isRequired)
            writer.field("minimum", form.range?.minimum)
            writer.field("maximum", form.range?.maximum)
            writer.field("values") { writer in
                guard let words = form.words else { return writer.null() }
                writer.array(words) { $0.string($1) }
            }
            writer.field("default", defaultValue)
            writer.field("meaning", meaning)
        }
    }
}

extension AddressField.Form {
    fileprivate var word: String {
        switch self {
        case .text, .word: "string"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .words: "array"
        }
    }

    fileprivate var range: (minimum: JSONValue, maximum: JSONValue)? {
        switch self {
        case .integer(let range): (.integer(range.lowerBound), .integer(range.upperBound))
        case .number(let range): (.number(range.lowerBound), .number(range.upperBound))
        case .text, .boolean, .word, .words: nil
        }
    }

    fileprivate var words: [String]? {
        switch self {
        case .word(let words), .words(let words): words
        case .text, .boolean, .integer, .number: nil
        }
    }
}
