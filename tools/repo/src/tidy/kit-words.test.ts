import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { kitWords } from './kit-words.ts';

const FILE = 'libs/service-kit/src/a.ts';
const findings = (text: string): string[] => formatFindings(kitWords(treeOf({ [FILE]: text })));

describe('kitWords', () => {
  it.each([
    ['an identifier', 'const certificateCount = 1;', 'certificate'],
    ['a text', `log('no provider answered');`, 'provider'],
    ['a plural', 'type Webhooks = string[];', 'webhooks'],
    ['a template', 'log(`debate ${id}`);', 'debate'],
  ])('refuses a domain word in %s', (_where, text, word) => {
    expect(findings(text)).toEqual([
      `${FILE}:1 says "${word}": a domain word; the kit must serve any service.`,
    ]);
  });

  it.each([
    ['a comment', '// for the ledger'],
    ['a longer word', 'const modelled = remodel;'],
    ['a word of HTTP', `headers['user-agent'];`],
    ['a name imported from npm', `import { Agent } from 'undici';\nnew Agent();`],
    ['a word that everybody uses', 'const workspaceId = 1;'],
  ])('accepts %s', (_what, text) => {
    expect(findings(text)).toEqual([]);
  });

  it('accepts the failure reasons that contracts lists', () => {
    const tree = treeOf({
      'libs/contracts/src/errors.ts': `export const REASONS = ['LEDGER_UNAVAILABLE'];`,
      [FILE]: `const status = { LEDGER_UNAVAILABLE: 14, LEDGER_BROKEN: 13 };`,
    });
    expect(kitWords(tree)).toHaveLength(1);
  });

  it('looks at no other library', () => {
    expect(kitWords(treeOf({ 'libs/proof/src/certificate.ts': 'certificate;' }))).toEqual([]);
  });
});
