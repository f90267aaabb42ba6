/** The style sheet of the reference, in the light and the dark. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --faint: #666; --link: #0b57c4; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3a3a3; --link: #8ab8ff; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
a { color: var(--link); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 0.5rem; }
h4 { margin: 1rem 0 0.25rem; }
article, section, h3[id], tr[id] { scroll-margin-top: 1rem; }
tr:target, :target > h2, :target > h3, h3:target { background: #fd03; }
code { font: 0.9em ui-monospace, monospace; }
p code, li > code, summary > code { background: var(--soft); padding: 0.1em 0.3em; border-radius: 0.2em; }
small, em { color: var(--faint); }
small { font-size: 0.85em; font-weight: normal; }
em { font-size: 0.85em; }
nav ul { list-style: none; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.95em; }
#errors table { min-width: 52rem; }
#events td code, #errors td code, #errors td small { white-space: nowrap; }
#errors td:nth-child(6) code { white-space: normal; overflow-wrap: anywhere; }
th, td { text-align: left; vertical-align: top; padding: 0.3em 0.8em 0.3em 0; border-bottom: 1px solid var(--line); }
.members { list-style: none; margin: 0.25rem 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.members li { margin: 0.15rem 0; }
.form { margin: 0.15rem 0 0.15rem 1rem; }
summary { cursor: pointer; }
`;
