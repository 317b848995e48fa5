/// Returns the candidate with the smallest edit distance to `name`, ignoring case. The distance may be at most a third of the
/// length of `name`, or 1 for a short name. Returns `nil` if no candidate is that near.
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let allowed = max(1, name.count / 3)
    return candidates.map { ($0, editDistance(name.lowercased(), $0.lowercased())) }
        .filter { $0.1 <= allowed }
        .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
}

/// Returns a suffix for a message about `name`, such as "; did you mean `lock`?". The suffix is
/// empty if no candidate is near enough.
package func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String {
    nearestName(to: name, among: candidates).map { "; did you mean `\($0)`?" } ?? ""
}

/// Returns the edit distance of two texts: the number of letters to replace, insert, delete or swap with their neighbour.
private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
