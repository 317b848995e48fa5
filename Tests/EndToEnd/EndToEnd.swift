import Testing

/// All suites that run the built program, one test after the other. Each test starts processes and waits for them, so
/// parallel tests would slow each other down. A test that exceeds the time limit fails.
@Suite("The built program", .serialized, .timeLimit(.minutes(30))) enum EndToEnd {}
