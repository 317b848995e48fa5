import ArgumentParser
import DoorwardDomain

/// The operations allowed to a guest, as typed for `--operations`.
struct GuestOperations: Equatable, Sendable, CustomStringConvertible {
    /// The API's names of the operations, without duplicates, in the typed order.
    let words: [String]

    static let allowed = [LockOperation.lock, .unlock, .unlatch].map(\.rawValue)

    static let standard = GuestOperations(words: ["LOCK", "UNLOCK"])

    private init(words: [String]) { self.words = words }

    /// - Throws: a `ValidationError` that lists the wrong operation and the allowed ones.
    init(_ text: String) throws {
        var words: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let typed = String(part.filter { !$0.isWhitespace })
            guard Self.allowed.contains(typed.uppercased()) else {
                let hint = nearestName(to: typed, among: Self.allowed).map { "Did you mean `\($0)`? " } ?? ""
                throw ValidationError(
                    "`\(typed.printable)` is not an operation. \(hint)The operations are \(Self.allowed.joined(separator: ", "))."
                )
            }
            if !words.contains(typed.uppercased()) { words.append(typed.uppercased()) }
        }
        self.init(words: words)
    }

    var description: String { words.joined(separator: ",") }
}
