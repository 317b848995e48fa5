/// What people are told of an adapter where no gateway runs that could be asked: in the help and the completions of the command line.
public struct AdapterGuide: Hashable, Sendable {
    /// The name that devices carry in `adapter`, as in `LockAdapter.kind`.
    public let kind: String
    /// How to attach a lock of this kind: what it is, then the keys of its address. Whole sentences, the first in lower case.
    public let attaching: String
    /// Command lines of `doorward attach`, each as it stands in a terminal; later lines of one begin with two spaces.
    public let examples: [String]

    public init(kind: String, attaching: String, examples: [String] = []) {
        (self.kind, self.attaching, self.examples) = (kind, attaching, examples)
    }
}
