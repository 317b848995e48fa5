internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension PageRequest where Key: RawRepresentable<String> & CaseIterable {
    /// Reads `page`, `limit`, `sortBy` and `q`.
    ///
    /// - Parameters:
    ///   - hasNames: false for a list whose items have no names, which has no `q`.
    ///   - hasAscending: false for a list that can be sorted in descending order only.
    init(_ query: inout QueryReader, hasNames: Bool = true, hasAscending: Bool = true) {
        let page = query.integer("page", in: 1...Int(Int32.max)) ?? 1
        let limit = query.integer("limit", in: WireLimits.pageSize) ?? WireLimits.defaultPageSize
        let search = hasNames ? query.search("q") : nil
        guard let sortBy = query.string("sortBy", as: .words(Self.orders(hasAscending: hasAscending))) else {
            self.init(page: page, limit: limit, search: search)
            return
        }
        let isDescending = sortBy.hasPrefix("-")
        let key = Key(rawValue: isDescending ? String(sortBy.dropFirst()) : sortBy)
        if key == nil || !isDescending && !hasAscending { query.errors.add("sortBy", .unknownValue) }
        self.init(page: page, limit: limit, key: key, isDescending: isDescending, search: search)
    }

    /// The values of `sortBy`.
    private static func orders(hasAscending: Bool) -> [String] {
        Key.allCases.flatMap { (hasAscending ? [$0.rawValue] : []) + ["-\($0.rawValue)"] }
    }
}

extension StringSchema {
    fileprivate static let search = StringSchema(minLength: 1, maxLength: WireLimits.nameCharacters, pattern: #"[^\s\u0085]"#)
}

extension QueryReader {
    /// A text to search in names: not blank, and no longer than a name.
    mutating func search(_ name: String) -> NameSearch? {
        guard let raw = string(name, as: .string(.search)) else { return nil }
        let text = raw.trimmed
        if text.isEmpty {
            errors.add(name, .blank)
        } else if raw.unicodeScalars.count > WireLimits.nameCharacters {
            errors.add(name, .tooLong)
        } else {
            return NameSearch(text)
        }
        return nil
    }
}

/// `data.pagination` of a list.
struct Pagination: ResponseObject {
    let totalItems: Int
    let page: Int
    let limit: Int

    init<Item>(_ page: Page<Item>) { (totalItems, self.page, limit) = (page.totalItems, page.page, page.limit) }

    static let fields: [ResponseField<Self>] = [
        .init("totalItems", .count, \.totalItems), .init("totalPages", .count) { ($0.totalItems + $0.limit - 1) / $0.limit },
        .init("currentPage", .count, \.page), .init("pageSize", .count, \.limit),
    ]
}

/// Makes and reads the opaque cursors of access records. A cursor is valid for the caller and the filters that it was made for.
///
/// A cursor is encrypted: otherwise its position would reveal how many records the log has, which the caller may not learn. All
/// cursors have the same length.
struct Cursors: Sendable {
    private let sealer: PositionSealer

    /// Bytes of a position: `at`, `seq`, a byte that is set for the log of a portfolio, and the portfolio's id.
    private static let placeBytes = 8 + 8 + 1 + 16

    /// - Parameter random: the source of the nonces.
    init(key: SymmetricKey, random: RandomSource) { sealer = PositionSealer(key: key, random: random) }

    /// - Parameter scope: the caller, filters and order that the cursor is bound to.
    /// - Throws: errors of the cipher. No position causes one.
    func cursor(after position: RecordPosition, scope: String) throws -> String {
        try sealer.seal(Self.bytes(of: position), scope: scope)
    }

    /// - Returns: `nil` for a text that `cursor` did not make for this scope.
    func position(_ cursor: String, scope: String) -> RecordPosition? {
        sealer.open(cursor, count: Self.placeBytes, scope: scope).map(Self.position)
    }

    private static func bytes(of position: RecordPosition) -> [UInt8] {
        let portfolio: PortfolioID? = if case .portfolio(let id) = position.log { id } else { nil }
        let words = [UInt64(bitPattern: position.at.milliseconds), position.seq, portfolio?.high ?? 0, portfolio?.low ?? 0]
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        return bytes[..<16] + [portfolio == nil ? 0 : 1] + bytes[16...]
    }

    private static func position(_ bytes: [UInt8]) -> RecordPosition {
        func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let log: LogID = bytes[16] == 0 ? .gateway : .portfolio(PortfolioID(high: word(17), low: word(25)))
        return RecordPosition(log: log, seq: word(8), at: Timestamp(milliseconds: Int64(bitPattern: word(0))))
    }
}

/// Seals positions into opaque texts with AES-256-GCM. A text is valid for the scope that it was made for.
struct PositionSealer: Sendable {
    let key: SymmetricKey
    /// The source of the nonces.
    let random: RandomSource

    /// - Throws: errors of the cipher. No position causes one.
    func seal(_ position: [UInt8], scope: String) throws -> String {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let sealed = try AES.GCM.seal(position, using: key, nonce: nonce, authenticating: Array(scope.utf8))
        return Base64URL.encode(Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
    }

    /// - Parameter count: the number of bytes of the position.
    /// - Returns: `nil` for a text that `seal` did not make for this scope.
    func open(_ text: String, count: Int, scope: String) -> [UInt8]? {
        // With the nonce and the tag of AES-GCM.
        let sealedBytes = 12 + count + 16
        guard text.utf8.count <= 2 * sealedBytes, let bytes = Base64URL.decode(text.utf8), bytes.count == sealedBytes,
            // Several texts can decode to the same bytes; only the canonical one is accepted.
            Base64URL.encode(bytes) == text, let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Array(scope.utf8))
        else { return nil }
        return Array(opened)
    }
}
