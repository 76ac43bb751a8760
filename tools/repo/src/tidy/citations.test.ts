import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { citations } from './citations.ts';

/**
 * Returns the source text of a file with one comment. The comment is built in a string, because the
 * citations rule also checks the comments of this test file.
 */
const makeComment = (text: string): string => `const a = 1;\n/** ${text} */\nexport { a };\n`;

const findIn = (text: string) =>
  citations(
    treeOf({
      'docs/spec.md': '## <a id="4"></a>4. Endpoints\n### <a id="4.6"></a>4.6 Gateway\n',
      'apps/x/README.md': '# x\n',
      'apps/x/src/a.ts': makeComment(text),
    }),
  );

describe('citations', () => {
  it.each([
    ['a section that the specification lacks', 'Limits (docs/spec.md#4.7).'],
    ['a missing page', 'As gateway.md rule 12 says.'],
    ['a document outside the repository', 'Limits (Seed 4.6).'],
    ['a section of a document outside the repository', 'Recall (C4): all of them.'],
  ])('refuses %s', (_name, text) => {
    expect(findIn(text)).toMatchObject([{ path: 'apps/x/src/a.ts', line: 2 }]);
  });

  it.each([
    ['a section of the specification', 'Limits (docs/spec.md#4.6).'],
    ['a page beside the code', 'See README.md, Life of a call.'],
    ['a standard', 'RFC 9457, section 3.'],
    ['a pattern', 'Every `*.md` of the tree.'],
  ])('accepts %s', (_name, text) => {
    expect(findIn(text)).toEqual([]);
  });
});
