import Testing

/// All suites that run the built program. Each test starts processes of its own on free ports and mostly waits for them, so a few run at a
/// time (`scripts/test`). A test that exceeds the time limit fails.
@Suite("The built program", .timeLimit(.minutes(30))) enum EndToEnd {}
