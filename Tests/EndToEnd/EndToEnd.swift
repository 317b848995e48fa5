import Testing

/// Every suite that runs the built program, one test after the other: each has processes of its own and waits for them, and two at
/// once would take the processors from one another. One that hangs is a failure, not a wait.
@Suite("The built program", .serialized, .timeLimit(.minutes(30))) enum EndToEnd {}
