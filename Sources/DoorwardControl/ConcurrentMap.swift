extension Array where Element: Sendable {
    /// Transforms parts of the array on all cores and returns the results in order.
    ///
    /// - Parameter share: the number of elements that one task transforms. A task occupies a core without interruption.
    package func concurrentMap<Transformed: Sendable>(
        share: Int, _ transform: @escaping @Sendable (ArraySlice<Element>) -> Transformed
    ) async -> [Transformed] {
        guard count > share else { return isEmpty ? [] : [transform(self[...])] }
        return await withTaskGroup(of: (Int, Transformed).self) { group in
            for start in stride(from: 0, to: count, by: share) {
                group.addTask { (start, transform(self[start..<Swift.min(start + share, count)])) }
            }
            var parts: [Int: Transformed] = [:]
            for await (start, part) in group { parts[start] = part }
            return stride(from: 0, to: count, by: share).compactMap { parts[$0] }
        }
    }
}
