internal import Crypto
internal import FoundationEssentials

/// The style sheet of reports, and the policy that allows nothing else.
enum ComplianceStyle {
    /// The policy of a report, also in the document itself, for a report that was saved as a file.
    static let policy = "default-src 'none'; style-src '\(hash)'; form-action 'none'; base-uri 'none'"

    /// The hash of the style sheet as a policy names it (Content Security Policy Level 3, section 2.3.1).
    private static let hash = "sha256-\(Data(SHA256.hash(data: Data(sheet.utf8))).base64EncodedString())"

    static let sheet = """
        :root { color-scheme: light; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --band: #f6f8fa; --good: #1a7f4b; \
        --fail: #9a6700; --deny: #b3261e; --hand: #5b6b8c; }
        * { box-sizing: border-box; }
        body { margin: 0; background: #fff; color: var(--ink); font: 15px/1.5 system-ui, "Liberation Sans", sans-serif; }
        main { max-width: 74rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
        h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
        h2 { font-size: 1.3rem; margin: 2.75rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
        h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
        p { margin: .4rem 0 .8rem; max-width: 62rem; }
        .lead { font-size: 1.15rem; color: var(--soft); margin: 0 0 1.25rem; }
        .note, caption { color: var(--soft); font-size: .9rem; }
        caption { text-align: left; padding: .25rem 0 .4rem; }
        dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: 0; }
        dl.facts dt { color: var(--soft); }
        dl.facts dd { margin: 0; overflow-wrap: anywhere; }
        dl.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem; margin: 1rem 0; }
        dl.figures div { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem; display: flex; \
        flex-direction: column-reverse; justify-content: flex-end; }
        dl.figures dt { color: var(--soft); font-size: .88rem; line-height: 1.3; }
        dl.figures dd { margin: 0; font-size: 1.6rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; min-width: 44rem; font-size: .87rem; line-height: 1.4; }
        table.small { min-width: 0; width: auto; }
        th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); \
        overflow-wrap: anywhere; min-width: 7.8rem; }
        thead th { border-bottom: 2px solid var(--ink); white-space: nowrap; }
        tbody th { font-weight: 600; }
        .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal; min-width: 0; }
        .time { white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
        .reference { color: var(--soft); }
        .cut { border-left: 4px solid var(--fail); padding: .3rem .8rem; background: var(--band); }
        .empty { color: var(--soft); font-style: italic; }
        pre { background: var(--band); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem; margin: .4rem 0 1rem; \
        white-space: pre-wrap; overflow-wrap: anywhere; font: .84rem/1.5 ui-monospace, "Liberation Mono", monospace; }
        figure { margin: 1.25rem 0; }
        figcaption { font-weight: 600; margin-bottom: .3rem; }
        svg { display: block; width: 100%; height: auto; }
        svg text { font: 12px system-ui, "Liberation Sans", sans-serif; fill: var(--soft); }
        svg .label { fill: var(--ink); }
        svg .axis { stroke: var(--line); }
        .confirmed { fill: var(--good); } .failed { fill: var(--fail); } .denied { fill: var(--deny); } .hand { fill: var(--hand); }
        ul.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .4rem 0 0; font-size: .88rem; }
        ul.legend svg { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
        @page { size: A4; margin: 14mm 13mm 16mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
        @media print {
            body { font-size: 9.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
            main { max-width: none; padding: 0; }
            h1 { font-size: 18pt; } h2 { font-size: 13pt; margin-top: 8mm; } h3 { font-size: 10.5pt; }
            table { min-width: 0; font-size: 8pt; }
            th, td { min-width: 5.8em; }
            .wide { overflow: visible; }
            thead { display: table-header-group; }
            h2, h3, caption, figcaption { break-after: avoid; }
            tr, figure, dl.figures div, pre { break-inside: avoid; }
            .time { white-space: normal; }
        }
        """
}
