internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The names of a stream, read from a request. A query has the filters of its type's list, encoded as in a URL.
enum StreamRequest {
    /// Maximum number of names of a stream.
    static let maxNames = 64
    /// The form of a name.
    static let nameRules = StringSchema(minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9._-]+$")
    private static let bodySchema = JSONSchema.object([
        JSONSchema.Member("type", .words(StreamType.allCases.map(\.rawValue))),
        JSONSchema.Member("query", .text, isRequired: false),
    ])

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Reads `subscribe=name:type:query`, which can be repeated.
    ///
    /// - Parameter adapters: the values of a device's `adapter`.
    static func names(_ query: inout QueryReader, adapters: [String]) -> [StreamName] {
        let texts = query.texts("subscribe", maxItems: maxNames)
        if texts.count > maxNames { query.mistakes.add("subscribe", .tooLong) }
        var names: [StreamName] = []
        for text in texts.prefix(maxNames) {
            let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, isName(parts[0]) else {
                query.mistakes.add("subscribe", .malformed)
                continue
            }
            if names.contains(where: { $0.name == parts[0] }) { query.mistakes.add("subscribe.\(parts[0])", .duplicateKey) }
            let read = name(
                parts[0], type: parts[1], query: parts.count > 2 ? parts[2] : "", query.mistakes, field: "subscribe.\(parts[0])",
                adapters)
            if let read { names.append(read) }
        }
        return names
    }

    /// Reads `subscriptions {name: {type, query}}`.
    static func names(_ body: inout BodyReader, adapters: [String]) -> [StreamName] {
        let key = "subscriptions"
        guard let value = body.value(key, as: .map(bodySchema)) else { return [] }
        guard case .object(let members) = value else {
            body.note(key, .wrongType)
            return []
        }
        guard members.count <= maxNames else {
            body.note(key, .tooLong)
            return []
        }
        return members.keys.sorted().compactMap { text in
            guard isName(text) else {
                body.note("\(key).\(text)", .malformed)
                return nil
            }
            guard case .object(let fields)? = members[text] else {
                body.note("\(key).\(text)", .wrongType)
                return nil
            }
            var reader = BodyReader(fields, path: "\(key).\(text)", mistakes: body.mistakes)
            defer { reader.finish() }
            return name(text, &reader, adapters: adapters)
        }
    }

    /// Reads `type` and `query` from a body.
    static func name(_ text: String, _ body: inout BodyReader, adapters: [String]) -> StreamName? {
        let type = body.require("type", body.word("type", of: StreamType.allCases))
        let query = body.string("query") ?? ""
        guard let type else { return nil }
        return name(text, type, query, body.mistakes, field: body.name(of: "query"), adapters)
    }

    private static func name(
        _ text: String, type word: String, query: String, _ mistakes: FieldErrors, field: String, _ adapters: [String]
    ) -> StreamName? {
        guard let type = StreamType.allCases.first(where: { $0.rawValue.hasSameBytes(as: word) }) else {
            mistakes.add(field, .unknownValue)
            return nil
        }
        return name(text, type, query, mistakes, field: field, adapters)
    }

    private static func name(
        _ text: String, _ type: StreamType, _ encoded: String, _ mistakes: FieldErrors, field: String, _ adapters: [String]
    ) -> StreamName {
        let inner = FieldErrors()
        var reader = QueryReader(encoded.isEmpty ? nil : encoded, mistakes: inner)
        let query = query(type, &reader, adapters)
        reader.finish()
        for problem in inner.problems { mistakes.add("\(field).\(problem.field)", problem.problem) }
        let items = reader.allItems.sorted { $0.key < $1.key }.map { "\($0.key)\u{0}\($0.value)" }
        return StreamName(name: text, query: query, text: ([type.rawValue] + items).joined(separator: "\u{0}\u{0}"))
    }

    private static func query(_ type: StreamType, _ reader: inout QueryReader, _ adapters: [String]) -> StreamQuery {
        switch type {
        case .device: return .devices(DeviceFilter(&reader, adapters: adapters), reader.search("q"))
        case .unit: return .units(reader.id("propertyId"), reader.search("q"))
        case .property: return .properties(reader.id("portfolioId"), reader.search("q"))
        case .portfolio: return .portfolios(reader.search("q"))
        case .guestAccess: return .guestAccesses(GuestAccessFilter(&reader), reader.search("q"))
        case .accessRecord: return .accessRecords(RecordFilterQuery(&reader).filter)
        case .command: return .commands(reader.id("deviceId"))
        case .permissions: return .permissions
        case .subscription: return .subscriptions(reader.id("portfolioId"))
        }
    }
}
