import Foundation

/// Reads standard input line by line. End of file is ignored: a fleet without a terminal keeps running.
enum ControlInput {
    static func read(_ take: @escaping @Sendable (String) -> Void) {
        Thread.detachNewThread {
            while let line = readLine() { take(line) }
        }
    }
}
