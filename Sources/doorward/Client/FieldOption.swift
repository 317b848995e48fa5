import DoorwardClient

/// The command-line option that sets a field of a request, for messages about the field.
struct FieldOption: Equatable, Sendable {
    /// An option such as `--until`, or a noun for a positional argument.
    let name: String
    /// The typed value; `nil` if it is not a single text.
    var value: String?
    /// The allowed values or keys of the field; empty if they are not known here.
    var candidates: [String] = []

    init(_ name: String, value: String? = nil, candidates: [String] = []) {
        (self.name, self.value, self.candidates) = (name, value, candidates)
    }
}

/// Runs `body`, and names rejected fields of its request by their command-line options.
///
/// - Parameter option: maps a field to its option; `nil` for a field without one.
/// - Throws: a `CommandFailure` for a request with wrong fields; every other error unchanged.
func namingOptions<Result>(
    _ option: (String) -> FieldOption?, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch ClientError.refused(let refusal) where !refusal.fields.isEmpty {
        throw CommandFailure(RefusalWords(refusal, style: .error, option: option).text)
    }
}
