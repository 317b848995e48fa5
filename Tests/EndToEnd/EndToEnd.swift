import Testing

/// All suites that run the built program, one test after the other. Each test starts processes and waits for them; two tests at
/// once would slow each other down. The time limit makes a test that hangs a failure.
@Suite("The built program", .serialized, .timeLimit(.minutes(30))) enum EndToEnd {}
