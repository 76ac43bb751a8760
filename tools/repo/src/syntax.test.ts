import { describe, expect, it } from '@jest/globals';
import { syntaxOf } from './syntax.ts';
import { treeOf } from './tree.ts';

const parse = (text: string) => syntaxOf(treeOf({ 'a.ts': text }), 'a.ts');

describe('syntaxOf', () => {
  it('finds every kind of import, with names, line and type-only flag', () => {
    const { imports, starExports } = parse(
      [
        `import a, { b as c } from 'one';`,
        `import type { D } from 'two';`,
        `import * as e from 'three';`,
        `import 'four';`,
        `export { f } from 'five';`,
        `export * from 'six';`,
        `await import('seven');`,
        `type G = import('eight').G;`,
      ].join('\n'),
    );
    expect(imports).toEqual([
      { specifier: 'one', names: ['default', 'b'], typeOnly: false, line: 1 },
      { specifier: 'two', names: ['D'], typeOnly: true, line: 2 },
      { specifier: 'three', names: ['*'], typeOnly: false, line: 3 },
      { specifier: 'four', names: [], typeOnly: false, line: 4 },
      { specifier: 'five', names: ['f'], typeOnly: false, line: 5 },
      { specifier: 'six', names: ['*'], typeOnly: false, line: 6 },
      { specifier: 'seven', names: ['*'], typeOnly: false, line: 7 },
      { specifier: 'eight', names: ['*'], typeOnly: true, line: 8 },
    ]);
    expect(starExports).toEqual([6]);
  });

  it('measures functions, with their names and callers', () => {
    const { functions } = parse('const f = () => {\n  g(() => 1);\n};\nclass C {\n  m() {}\n}');
    expect(functions).toEqual([
      { name: 'f', line: 1, lines: 3, caller: '' },
      { name: 'anonymous', line: 2, lines: 1, caller: 'g' },
      { name: 'm', line: 5, lines: 1, caller: '' },
    ]);
  });

  it('excludes comments and import specifiers from identifiers and strings', () => {
    const { identifiers, strings, members } = parse(
      `import { x } from 'specifier'; // comment\nx.y.z('text', \`head \${x}\`);`,
    );
    expect(strings.map(({ text }) => text)).toEqual(['text', 'head ', '']);
    expect(new Set(identifiers.map(({ text }) => text))).toEqual(new Set(['x', 'y', 'z']));
    expect(members.map(({ text }) => text)).toEqual(['x.y.z', 'x.y']);
  });

  it('names the file that cannot be parsed', () => {
    expect(() => parse('const = ;')).toThrow('a.ts cannot be parsed');
  });

  it('parses explicit resource management', () => {
    expect(parse('await using server = open();').identifiers).toHaveLength(2);
  });
});
