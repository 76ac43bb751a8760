export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #14171c);
  --raised: light-dark(#f5f6f8, #1c2027);
  --line: light-dark(#d9dde3, #343b46);
  --words: light-dark(#1b1f26, #e6e9ee);
  --quiet: light-dark(#555e6b, #a2acba);
  --link: light-dark(#0b57b7, #86b7ff);
  --good: light-dark(#186a35, #74cf93);
  --bad: light-dark(#a3261b, #ff9d91);
  --warn: light-dark(#7a4d00, #f0c06a);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--ground); color: var(--words);
  font: 16px/1.55 system-ui, sans-serif;
  display: grid; grid-template: "header header" auto "nav main" 1fr / 19rem minmax(0, 1fr);
}
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100rem; }
.skip:focus {
  left: 1rem; top: 0.5rem; background: var(--ground); padding: 0.5rem 1rem; z-index: 2;
}
header {
  grid-area: header; display: flex; flex-wrap: wrap; gap: 0 2rem; justify-content: space-between;
  padding: 0.7rem 1.5rem; border-bottom: 1px solid var(--line);
}
header p { margin: 0; }
nav {
  grid-area: nav; position: sticky; top: 0; max-height: 100vh; overflow: auto;
  padding: 1rem; border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav li > a {
  display: block; padding: 0.22rem 0.4rem; border-radius: 4px;
  text-decoration: none; color: inherit;
}
nav li > a:hover { background: var(--raised); }
nav .groups > li { margin-top: 0.5rem; }
nav .groups > li > a { font-weight: 650; }
nav label { font-weight: 650; }
nav input {
  width: 100%; margin-top: 0.3rem; padding: 0.5rem 0.6rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px;
}
#found { min-height: 1.4em; margin: 0.3rem 0 0; color: var(--quiet); }
kbd, .id, .note, .limits, .media { color: var(--quiet); font-size: 0.875rem; }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 0.35rem; }
main { grid-area: main; padding: 1.5rem 2rem 6rem; outline: none; max-width: 100rem; }
h1 { font-size: 1.9rem; margin: 0 0 0.5rem; }
h2 { font-size: 1.4rem; margin: 2.5rem 0 0.5rem; }
h3 { font-size: 1.125rem; margin: 0; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: 0.9375rem; margin: 1.3rem 0 0.3rem; }
p, ul { margin: 0.5rem 0; }
.intro { max-width: 50rem; }
.operation {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem;
  padding: 1.6rem 0; border-top: 1px solid var(--line);
}
.samples h4:first-child { margin-top: 0; }
.call { overflow-wrap: anywhere; }
code, pre { font: 0.8438rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
p > code, li > code, .type code {
  background: var(--raised); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere;
}
pre {
  margin: 0.3rem 0 0.8rem; padding: 0.8rem 1rem; max-height: 26rem; overflow: auto;
  background: var(--raised); border: 1px solid var(--line); border-radius: 8px;
}
.method {
  display: inline-block; min-width: 3.6em; font: 700 0.75rem/1.4 ui-monospace, Menlo, monospace;
}
.get, .s2 { color: var(--good); }
.post, .put, .patch { color: var(--link); }
.delete, .s4, .s5 { color: var(--bad); }
.status { display: inline-block; min-width: 2.6em; font-weight: 700; }
.required { color: var(--warn); font-size: 0.875rem; }
.members { list-style: none; padding: 0; margin: 0.3rem 0; }
.members > li { padding: 0.45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.members p { margin: 0.15rem 0; color: var(--quiet); font-size: 0.9375rem; }
.name { font-weight: 650; }
p.type { margin: 0.2rem 0; font-size: 0.9375rem; }
details > :not(summary) { margin-left: 0.9rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
.answer { margin: 0; padding: 0.1rem 0; border-top: 1px solid var(--line); }
p.answer { padding: 0.35rem 0 0.35rem 1.05rem; }
.schema { border-top: 1px solid var(--line); padding: 0.3rem 0; }
.schema > summary { font-weight: 650; }
@media (max-width: 75rem) { .operation { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 48rem) {
  body { display: block; }
  header { padding: 0.7rem 1rem; }
  nav {
    position: static; max-height: 45vh;
    border-right: 0; border-bottom: 1px solid var(--line);
  }
  main { padding: 1rem 1rem 4rem; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print { nav, .skip, search { display: none; } }
`;
