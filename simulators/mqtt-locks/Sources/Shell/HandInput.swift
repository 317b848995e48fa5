import Foundation

/// Standard input, line by line. Its end ends nothing: a fleet that was started without a terminal plays on.
enum HandInput {
    static func read(_ take: @escaping @Sendable (String) -> Void) {
        Thread.detachNewThread {
            while let line = readLine() { take(line) }
        }
    }
}
