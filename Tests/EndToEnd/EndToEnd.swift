import Testing

/// Every suite that runs the built program, one test after the other: each has processes of its own and waits for them, and two at
/// once would take the processors from one another.
@Suite("The built program", .serialized) enum EndToEnd {}
