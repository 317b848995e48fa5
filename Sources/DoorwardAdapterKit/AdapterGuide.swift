/// Describes an adapter for the command line's help and completions, which must work without a running gateway.
public struct AdapterGuide: Hashable, Sendable {
    /// The adapter's name in the `adapter` field of a device, the same as `LockAdapter.kind`.
    public let kind: String
    /// The help text for attaching a lock of this kind: a description of the kind, then the keys of
    /// an address. The text consists of complete sentences; the first begins in lower case.
    public let attaching: String
    /// Examples of `doorward attach`, as typed in a terminal; continuation lines begin with two spaces.
    public let examples: [String]

    public init(kind: String, attaching: String, examples: [String] = []) {
        (self.kind, self.attaching, self.examples) = (kind, attaching, examples)
    }
}
