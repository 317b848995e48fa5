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

/// A position that clients get as an opaque text.
protocol SealedPosition {
    /// The number of bytes of every position, so that all texts have the same length.
    static var byteCount: Int { get }
    var bytes: [UInt8] { get }
    init(_ bytes: [UInt8])
}

/// Seals positions into opaque texts with AES-256-GCM. A text is valid for the scope that it was made for.
///
/// It is encrypted, because its numbers would reveal how many records the log has or how busy the gateway is, which the caller may
/// not learn.
struct PositionSealer<Position: SealedPosition>: Sendable {
    let key: SymmetricKey
    /// The source of the nonces.
    let random: RandomSource

    /// - Parameter scope: what the text is bound to: the caller, and the filters and the order, or the names.
    /// - Throws: errors of the cipher. No position causes one.
    func text(of position: Position, scope: String) throws -> String {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let sealed = try AES.GCM.seal(position.bytes, using: key, nonce: nonce, authenticating: Array(scope.utf8))
        return Base64URL.encode(Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
    }

    /// - Returns: `nil` for a text that `text` did not make for this scope.
    func position(_ text: String, scope: String) -> Position? {
        // With the nonce and the tag of AES-GCM.
        let sealedBytes = 12 + Position.byteCount + 16
        guard text.utf8.count <= 2 * sealedBytes, let bytes = Base64URL.decode(text.utf8), bytes.count == sealedBytes,
            // Several texts can decode to the same bytes; only the canonical one is accepted.
            Base64URL.encode(bytes) == text, let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Array(scope.utf8))
        else { return nil }
        return Position(Array(opened))
    }
}

/// The cursors of access records.
typealias Cursors = PositionSealer<RecordPosition>

extension RecordPosition: SealedPosition {
    /// `at`, `seq`, a byte that is set for the log of a portfolio, and the portfolio's id.
    static let byteCount = 8 + 8 + 1 + 16

    var bytes: [UInt8] {
        let portfolio: PortfolioID? = if case .portfolio(let id) = log { id } else { nil }
        let words = [UInt64(bitPattern: at.milliseconds), seq, portfolio?.high ?? 0, portfolio?.low ?? 0]
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        return bytes[..<16] + [portfolio == nil ? 0 : 1] + bytes[16...]
    }

    init(_ bytes: [UInt8]) {
        func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let log: LogID = bytes[16] == 0 ? .gateway : .portfolio(PortfolioID(high: word(17), low: word(25)))
        self.init(log: log, seq: word(8), at: Timestamp(milliseconds: Int64(bitPattern: word(0))))
    }
}
