internal import Crypto
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
    private static let bodySchema = JSONSchema.fields(
        ["type": .words(StreamType.allCases.map(\.rawValue))], optional: ["query": .text])

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && (Character($0).isLetter || Character($0).isNumber || "._-".unicodeScalars.contains($0))
            }
    }

    /// Reads `subscribe=name:type:query`, which can be repeated.
    ///
    /// - Parameter adapters: the values of a device's `adapter`.
    static func names(_ query: inout QueryReader, adapters: [String]) -> [StreamName] {
        let texts = query.texts("subscribe", maxItems: maxNames)
        if texts.count > maxNames { query.errors.add("subscribe", .tooLong) }
        var names: [StreamName] = []
        for text in texts.prefix(maxNames) {
            let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, isName(parts[0]) else {
                query.errors.add("subscribe", .malformed)
                continue
            }
            let field = "subscribe.\(parts[0])"
            if names.contains(where: { $0.name == parts[0] }) { query.errors.add(field, .duplicateKey) }
            guard let type = StreamType.allCases.first(where: { $0.rawValue.hasSameBytes(as: parts[1]) }) else {
                query.errors.add(field, .unknownValue)
                continue
            }
            names.append(name(parts[0], type, parts.count > 2 ? parts[2] : "", query.errors, field: field, adapters))
        }
        return names
    }

    /// Reads `subscriptions {name: {type, query}}`.
    static func names(_ body: inout BodyReader, adapters: [String]) -> [StreamName] {
        let key = "subscriptions"
        guard let value = body.value(key, as: .map(bodySchema)) else { return [] }
        guard case .object(let members) = value else {
            body.reject(key, .wrongType)
            return []
        }
        guard members.count <= maxNames else {
            body.reject(key, .tooLong)
            return []
        }
        return members.keys.sorted().compactMap { text in
            guard isName(text) else {
                body.reject("\(key).\(text)", .malformed)
                return nil
            }
            guard case .object(let fields)? = members[text] else {
                body.reject("\(key).\(text)", .wrongType)
                return nil
            }
            return body.nested(fields, "\(key).\(text)") { name(text, &$0, adapters: adapters) }
        }
    }

    /// Reads `type` and `query` from a body.
    static func name(_ text: String, _ body: inout BodyReader, adapters: [String]) -> StreamName? {
        let type = body.require("type", body.enumValue("type", of: StreamType.allCases))
        let query = body.string("query") ?? ""
        guard let type else { return nil }
        return name(text, type, query, body.errors, field: body.name(of: "query"), adapters)
    }

    private static func name(
        _ text: String, _ type: StreamType, _ encoded: String, _ errors: FieldErrors, field: String, _ adapters: [String]
    ) -> StreamName {
        let inner = FieldErrors()
        var reader = QueryReader(encoded.isEmpty ? nil : encoded, errors: inner)
        let query = query(type, &reader, adapters)
        reader.finish()
        for problem in inner.problems { errors.add("\(field).\(problem.field)", problem.problem) }
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

/// The opaque ids of events.
typealias StreamPositions = PositionSealer<StreamPosition>

extension StreamPositions {
    /// What an id is bound to.
    static func scope(_ principal: Principal, names: String) -> String { "\(principal.key)\n\n\(names)" }
}

extension StreamPosition: SealedPosition {
    /// Four words, the latest time, a byte of flags, and the entries of the logs.
    static let byteCount = 4 * 8 + 8 + 1 + LogPositions.maxEntries * 13

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        func append(_ word: some FixedWidthInteger) { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        for word in [generation, stream, number] { append(word) }
        append(createdAt.nanoseconds)
        append(records.latest.milliseconds)
        append(records.isComplete ? 1 as UInt8 : 0)
        for entry in records.entries.prefix(LogPositions.maxEntries) {
            append(1 as UInt8)
            append(entry.log)
            append(entry.next)
        }
        bytes.append(contentsOf: repeatElement(0, count: Self.byteCount - bytes.count))
        return bytes
    }

    init(_ bytes: [UInt8]) {
        func word(_ start: Int, _ count: Int = 8) -> UInt64 { bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) } }
        let entries = (0..<LogPositions.maxEntries).compactMap { index -> LogPositions.Entry? in
            let start = 41 + index * 13
            guard bytes[start] == 1 else { return nil }
            return LogPositions.Entry(log: UInt32(truncatingIfNeeded: word(start + 1, 4)), next: word(start + 5))
        }
        let records = LogPositions(
            entries: entries, latest: Timestamp(milliseconds: Int64(bitPattern: word(32))), isComplete: bytes[40] == 1)
        self.init(
            generation: word(0), stream: word(8), number: word(16),
            createdAt: MonotonicInstant(nanoseconds: Int64(bitPattern: word(24))), records: records)
    }
}
