/// The style of the pages for people: one sheet, and the rules that one kind of pages adds to it. The web console has its own.
enum PageStyle {
    /// The pages behind guest links.
    static let guests =
        common + """
            h2 { font-size: 1.15rem; margin: 0; }
            p { margin: .25rem 0; }
            section { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; }
            button:disabled { color: var(--soft); background: none; border: 1px dashed var(--line); cursor: default; }
            button[aria-disabled="true"] { opacity: .7; cursor: progress; }
            #progress:focus { outline: none; }
            .progress, .notice { margin: 1rem 0; padding: .75rem 1rem; border: 2px solid var(--line); border-radius: .75rem; }
            .good { border-color: var(--good); } .good strong { color: var(--good); }
            .bad { border-color: var(--bad); } .bad strong { color: var(--bad); }
            .unit, .state, .why, .zone, dt { color: var(--soft); }
            dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 1.5rem 0 .25rem; }
            dd { margin: 0; }
            .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
            """

    /// The pages behind password links, invitations and the link of the set-up.
    static let accounts =
        common + """
            label { display: block; margin-top: 1rem; font-weight: 600; }
            input { width: 100%; padding: .6rem; font: inherit; }
            fieldset { margin: 1.5rem 0 0; padding: 0; border: 0; min-width: 0; }
            legend { padding: 0; font-size: 1.15rem; font-weight: 600; }
            .choice { display: flex; align-items: center; gap: .75rem; min-height: 2.75rem; margin-top: .5rem; }
            .choice input { width: 1.5rem; height: 1.5rem; flex: none; }
            .choice label { margin: 0; }
            .hint { margin: .25rem 0 0; font-size: .9rem; }
            #message:not(:empty) { padding: .75rem; border: 1px solid; border-radius: .5rem; }
            [hidden] { display: none; }
            """

    /// The description of the API.
    static let documentation =
        common + """
            main { max-width: 60rem; padding: 1.5rem 1rem; overflow-wrap: normal; }
            nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
            article { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .75rem; }
            h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
            .table { overflow-x: auto; }
            table { border-collapse: collapse; width: 100%; }
            caption { text-align: left; font-weight: 600; padding-top: .5rem; }
            th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); }
            th { white-space: nowrap; }
            code { font: .95em ui-monospace, monospace; }
            """

    /// Compliance reports, which are light in every setting, and print on A4.
    static let reports =
        common + """
            :root { color-scheme: light; --text: #1b1f24; --back: #fff; --soft: #57606a; --line: #d0d7de; --band: #f6f8fa; \
            --good: #1a7f4b; --fail: #9a6700; --deny: #b3261e; --hand: #5b6b8c; --button: #0b57d0; --on-button: #fff; }
            body { font: 15px/1.5 system-ui, "Liberation Sans", sans-serif; }
            main { max-width: 74rem; padding: 2rem 1.5rem 4rem; overflow-wrap: normal; }
            h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
            h2 { font-size: 1.3rem; margin: 2.75rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--text); }
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
            thead th { border-bottom: 2px solid var(--text); white-space: nowrap; }
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
            svg .label { fill: var(--text); }
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

    private static let common = """

        :root {
          color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif;
          --text: #1b1b1f; --back: #fff; --soft: #505056; --line: #c8c8d0;
          --button: #0b57d0; --on-button: #fff; --good: #0d652d; --bad: #a50e0e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e8e8ec; --back: #17171a; --soft: #b4b4bc; --line: #48484f;
            --button: #a8c7fa; --on-button: #062e6f; --good: #81c995; --bad: #f6aea9;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--text); background: var(--back); }
        main { max-width: 28rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
        button {
          display: block; width: 100%; min-height: 3.25rem; margin-top: .75rem; padding: .75rem; border: 0; border-radius: .5rem;
          font: inherit; font-size: 1.1rem; font-weight: 600; color: var(--on-button); background: var(--button); cursor: pointer;
        }
        :focus-visible { outline: 3px solid var(--button); outline-offset: 3px; }

        """
}
