import DoorwardClient

/// What the command line calls a field of a request, for messages about it.
struct FieldOption: Equatable, Sendable {
    /// An option, as in `--until`, or a word for an argument.
    let name: String
    /// What was typed for it; `nil` if that is not one text.
    var value: String?
    /// The values, or the keys, that the field could have; empty if they are not known here.
    var candidates: [String] = []

    init(_ name: String, value: String? = nil, candidates: [String] = []) {
        (self.name, self.value, self.candidates) = (name, value, candidates)
    }
}

/// Makes a call, and names the fields of a request that the gateway rejects as the command line names them.
///
/// - Parameter option: the name of a field; `nil` for one that has none.
/// - Throws: a `CommandFailure` for a request with wrong fields; every other error as it is.
func namingOptions<Result>(
    _ option: (String) -> FieldOption?, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch ClientError.refused(let refusal) where !refusal.fields.isEmpty {
        throw CommandFailure(RefusalWords(refusal, style: .error, option: option).text)
    }
}
