import { describe, expect, it } from '@jest/globals';
import { createDetector } from './detect.ts';
import { createMasker } from './mask/create-masker.ts';

const detect = createDetector();
const found = (text: string): string[] =>
  detect(text).map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);
const maskJson = (text: string): string =>
  createMasker({ key: new Uint8Array(32).fill(1), detect }).maskJsonText(text);

describe('texts without names', () => {
  it.each([
    'percent of revenue (of wages, if more)',
    'one to four short paragraphs:',
    '`[J] holds: the price is too high`',
    '[J] holds: the price is too high',
    '"sam"',
    'def grace(): pass',
    'class Victor: pass',
    '"Schlechtes Jahr": revenue per year at the start: 2,4 Millionen',
    'Schlechtes Jahr: die Marge sinkt',
    'marker',
    'Metadata',
    'usage: lib [valid]',
    '/**\n * @param {string} sam The marker.\n * @internal\n */\nvar sam;',
    'import { encode } from "@jridgewell/sourcemap-codec";',
    'for (let i = 0; i < len; i++) len = grace.valid(i);',
    'SELECT grace, victor FROM paris WHERE sam = 1;',
    'FROM node:24\nLABEL grace=victor\nRUN npm install istanbul',
    '[victor]\ngrace = paris\nsam = 12',
    'id,item,grace\n1,bolt,paris\n2,nut,sam',
    '2026-01-02 10:00:00 INFO victor: marker paris valid',
    'Traceback (most recent call last):\n  File "grace.py", line 3, in victor\nKeyError: "Sam"',
    '--- a/grace.c\n+++ b/grace.c\n@@ -1,2 +1,2 @@\n-int Victor(int sam);\n+int Victor(int len);',
    '.PHONY: grace\ngrace: paris.o\n\tcc -o grace paris.o',
    'A `MarkerSet` calls RunTests in the mode of the IANA list, see EBADF.',
    'MapSource represents a single source map, with the content of each file.',
    '    const Paris = Grace.create(Victor);\n    Paris.run();',
  ])('are not masked: %s', (text) => {
    expect(found(text)).toEqual([]);
    expect(maskJson(JSON.stringify({ content: text }))).toBe(JSON.stringify({ content: text }));
  });

  it.each([
    '{"sector":"saas"}',
    '{"item":"bolt"}',
    '{"city":"paris"}',
    '{"weather":"sunny"}',
    '{"sam":"what the product can serve","som":"what it can win"}',
    '{"marker":"Grace","type":"Victor"}',
    '{"name":"istanbul","devDependencies":{"ava":"^1.4.1","sinon":"^2.0.0"}}',
    '{"keywords":["victor","grace","paris"],"main":"./lib/sam.js"}',
    '{"type":"Program","body":[{"type":"Identifier","name":"len"}]}',
  ])('are not masked as JSON: %s', (text) => {
    expect(found(text)).toEqual([]);
    expect(maskJson(text)).toBe(text);
  });
});

describe('people in data and code', () => {
  it.each([
    ['JSON', '{"name": "Ann Lee"}'],
    ['fenced JSON', '```json\n{"name": "Ann Lee"}\n```'],
    ['YAML', 'customer: Ann Lee'],
    ['TOML', '[customer]\nname = "Ann Lee"'],
    ['CSV', 'id,name,total\n1,Ann Lee,20'],
    ['a log', '2026-01-02 10:00:00 INFO user="Ann Lee" status=200'],
    ['a log line', '[2026-01-02T10:00:00Z] Ann Lee updated the profile.'],
    ['markup', '<patient name="Ann Lee"></patient>'],
    ['SQL', "INSERT INTO customers (id, name) VALUES (1, 'Ann Lee');"],
    ['a string of code', 'const owner = "Ann Lee";\nrun(owner);'],
    ['a comment', '// Author: Ann Lee\nconst a = 1;'],
    ['a documentation comment', '/**\n * @author Ann Lee\n */\nclass A {}'],
    ['a key of JSON within prose', 'Summarise this: {"Ann Lee": 5}'],
    ['a list below its heading', 'Invitees:\nAnn Lee'],
  ])('are found in %s', (_kind, text) => {
    expect(found(text)).toEqual(['PERSON Ann Lee']);
  });

  it('are found next to an e-mail address', () => {
    const names = ['PERSON Ann Lee', 'EMAIL ann@example.org'];
    expect(found('# Author: Ann Lee <ann@example.org>\nimport os')).toEqual(names);
    expect(found('Signed-off-by: Ann Lee <ann@example.org>')).toEqual(names);
  });

  it('are found in prose before and after code', () => {
    const text = 'Hi,\n\nAnn Lee asked:\n\n```js\nconst a = grace();\n```\n\nRegards,\nVictor';
    const [first, second] = found(text);
    expect(first).toBe('PERSON Ann Lee');
    expect(second).toMatch(/ Victor$/);
  });

  it('are found in lower case after a greeting or a key for names', () => {
    expect(found('my name is grace')).toEqual(['PERSON grace']);
    expect(found('hi grace, how are you')).toEqual(['PERSON grace']);
    expect(found('best regards,\nsam')).toEqual(['PERSON sam']);
  });

  it.each([
    ['i met sarah connor yesterday', ['PERSON sarah connor']],
    ['my boss anna weber is ill', ['PERSON anna weber']],
    ['Guests:\n\n1. Jamal\n2. Ruth Park', ['PERSON Jamal', 'PERSON Ruth Park']],
    ['Teilnehmer: Müller, Schäfer', ['PERSON Müller', 'PERSON Schäfer']],
    ['Status: waiting for Hugo', ['PERSON Hugo']],
    ['notes: husband of Clara', ['PERSON Clara']],
  ])('are found in notes: %s', (text, names) => {
    expect(found(text)).toEqual(names);
  });
});
