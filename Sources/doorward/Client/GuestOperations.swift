import ArgumentParser
import DoorwardDomain

/// What a guest is allowed to do, as `--operations` lists it.
struct GuestOperations: Equatable, Sendable, CustomStringConvertible {
    /// The words of the API, each once, in the order in which they were typed.
    let words: [String]

    static let allowed = [LockOperation.lock, .unlock, .unlatch].map(\.rawValue)

    static let standard = GuestOperations(words: ["LOCK", "UNLOCK"])

    private init(words: [String]) { self.words = words }

    /// - Throws: a `ValidationError` that names the wrong word and the allowed ones.
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
