import { describe, expect, it } from '@jest/globals';
import { findLines } from './find-lines.ts';

/** Returns one letter (P, D or C for prose, data or code) for each line that contains a letter. */
function kinds(text: string): string {
  const { kindAt } = findLines(text);
  return [...text.matchAll(/^.*\p{L}.*$/gmu)]
    .map(({ index }) => 'PDC'.charAt(kindAt(index)))
    .join('');
}

const CODE: readonly (readonly [language: string, text: string])[] = [
  ['python', 'def grace(sam):\n    """Return the marker."""\n    return sam.valid + 1'],
  ['javascript', "const lib = require('lib');\nlib.usage(function (err) {\n  throw err;\n});"],
  ['typescript', 'export type Marker = { id: string };\nlet paris: Marker | undefined;'],
  ['java', 'public class Victor extends Base {\n  private int len = 0;\n}'],
  ['go', 'func (s *Server) Serve(ctx context.Context) error {\n\treturn s.run(ctx)\n}'],
  ['rust', 'impl Iterator for Grace {\n    fn next(&mut self) -> Option<u8> {\n'],
  ['c', '#include <stdio.h>\nint main(void) {\n  return 0;\n}'],
  ['shell', 'npm install --save-dev istanbul\nexport PATH="$HOME/bin:$PATH"'],
  ['sql', "SELECT name FROM victor\nWHERE city = 'paris'\nORDER BY name"],
  ['css', '.marker > a {\n  color: red;\n}\n.grace {\n  margin: 0;\n}'],
  ['dockerfile', 'FROM node:24\nRUN npm ci\nCOPY . .\nCMD ["node", "main.js"]'],
  ['a diff', 'diff --git a/x.js b/x.js\n+++ b/x.js\n-const sam = 1;\n+const sam = 2;'],
  ['a stack trace', 'at Victor.run (/app/x.js:1:2)\n    at main (/app/y.js:3:4)'],
  ['comments', '/**\n * The usage of the library.\n */\nfunction usage() {}'],
];

describe('findLines', () => {
  it.each(CODE)('classifies %s as code', (_language, text) => {
    expect(kinds(text)).toMatch(/^C+$/);
  });

  it.each([
    ['JSON', '"name": "istanbul",\n"files": [\n"src",\n"lib"\n'],
    ['YAML', 'customer:\n  name: Ann Lee\n  city: Paris'],
    ['INI', 'name = Ann Lee\ncity = Paris'],
    ['CSV', 'id,name,city\n1,Ann Lee,Paris'],
    ['a log', '2026-01-02 10:00:00 INFO user Ann Lee logged in'],
    ['a table of Markdown', '| Ann Lee | Engineer |\n| Bob Ray | Nurse |'],
    ['markup', '<patient name="Ann Lee">\n<td>Ann Lee</td>\n</patient>'],
  ])('classifies %s as data', (_language, text) => {
    expect(kinds(text)).toMatch(/^[DC]*D[DC]*$/);
  });

  it.each([
    'Hello, my name is Ann Lee and I live in Paris.',
    'I met Ann.\nShe moved to Berlin; then she left.',
    'Best regards,\nAnn',
    'Use `run()` to start, see https://example.org/a_b/c for more about it.',
    'RT @ann_lee: happy birthday to one of my friends! #NewYork',
    'Das Urteil (vgl. BFH-Urteile in BFHE 166, 49) wird vom Senat im Ergebnis bestätigt.',
  ])('classifies this as prose: %s', (text) => {
    expect(kinds(text)).toMatch(/^P+$/);
  });

  it('distinguishes prose from the code below it', () => {
    const code = 'const a = run();\nif (a) {\n  stop(a);\n}';
    expect(kinds(`Ann asked me about this:\n\n${code}`)).toBe('PCCC');
    expect(kinds(`Ann asked me:\n\`\`\`js\nAnn\n\`\`\`\nRegards,\nAnn`)).toBe('PCCPP');
  });

  it('classifies the lines of a fence that has no language or is not closed', () => {
    expect(kinds('```\nDear Ann, how are you today?\n```')).toBe('P');
    expect(kinds('```js\nDear Ann, how are you today?')).toMatch(/P$/);
  });
});
