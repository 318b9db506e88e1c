/** Style sheet of the report page. The page is a single file, opened from disk or printed, and loads no other resources. */
export const STYLE = `
:root { --ink: #11212d; --soft: #4b5b68; --line: #dbe2e8; --back: #eef2f4; --brand: #0b4a5e; --tint: #f4f8f9; --good: #0b6b43; --bad: #b3261e; --wait: #7a4d00; }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem 3rem; }
header { background: var(--brand); color: #fff; padding: 2rem 1.5rem 4.5rem; }
header > div { max-width: 73rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; }
header p { margin: .375rem 0 0; color: #d3e5ea; }
header .mode { display: inline-block; margin: 0 0 .75rem; padding: .125rem .625rem; border-radius: 1rem; background: #ffffff26; color: #fff; font-size: .8125rem; font-weight: 600; }
h2 { margin: 0; font-size: 1.125rem; }
section { margin-top: 1.25rem; padding: 1.25rem 1.5rem 1.5rem; background: #fff; border-radius: .75rem; box-shadow: 0 1px 2px #11212d14; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.25rem, 1fr)); gap: .625rem; margin: -3rem 0 0; padding: 0; background: none; box-shadow: none; }
.card { display: block; padding: .75rem .875rem .875rem; border-radius: .75rem; background: #fff; box-shadow: 0 1px 3px #11212d26; color: inherit; text-decoration: none; }
.card b { display: block; font-size: 1.375rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card span { color: var(--soft); font-size: .875rem; }
.card.good b { color: var(--good); } .card.bad b { color: var(--bad); }
.soft { color: var(--soft); } .meaning { margin: .125rem 0 .875rem; color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th { padding: .375rem .75rem .375rem 0; border-bottom: 2px solid var(--line); color: var(--soft); font-size: .75rem; font-weight: 600; text-align: left; white-space: nowrap; }
td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
table.breaks { table-layout: fixed; min-width: 60rem; }
.breaks th:nth-child(-n+2) { width: 6%; } .breaks th:nth-child(3) { width: 23%; } .breaks th:nth-child(4) { width: 13%; } .breaks th:nth-child(5) { width: 17%; } .breaks th:nth-child(6) { width: 20%; }
table.faults { width: auto; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .8125rem ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
td small { display: block; color: var(--soft); white-space: normal; }
.state { display: inline-block; padding: 0 .5rem; border-radius: .75rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.state.closed, .state.settled { background: #e2f2ea; color: var(--good); } .state.held { background: #fff1d6; color: var(--wait); }
.state.open, .state.refused { background: #fbe6e4; color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: .75rem 0 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .8125rem; text-align: center; }
@media print {
  @page { margin: 14mm; }
  body { background: #fff; font-size: 9pt; } main { padding: 0; max-width: none; }
  header { padding: 0 0 8mm; background: none; color: var(--ink); } header p, header .mode { color: var(--soft); } header .mode { padding: 0; background: none; }
  section { padding: 0; margin-top: 8mm; box-shadow: none; border-radius: 0; } .cards { margin-top: 0; grid-template-columns: repeat(4, 1fr); }
  .card { border: 1px solid var(--line); box-shadow: none; } tr, .card { break-inside: avoid; } thead { display: table-header-group; } .scroll { overflow: visible; } table.breaks { min-width: 0; font-size: 8pt; } code { font-size: 7.5pt; }
}`;
