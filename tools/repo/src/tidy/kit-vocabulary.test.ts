import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { kitVocabulary } from './kit-vocabulary.ts';

const FILE = 'libs/service-kit/src/a.ts';
const checkText = (text: string): string[] =>
  formatFindings(kitVocabulary(treeOf({ [FILE]: text })));

describe('kitVocabulary', () => {
  it.each([
    ['an identifier', 'const certificateCount = 1;', 'certificate'],
    ['a text', `log('no provider answered');`, 'provider'],
    ['a plural', 'type Webhooks = string[];', 'webhooks'],
    ['a template', 'log(`debate ${id}`);', 'debate'],
  ])('refuses a domain term in %s', (_where, text, term) => {
    expect(checkText(text)).toEqual([
      `${FILE}:1 uses the domain term "${term}"; the kit must serve any service.`,
    ]);
  });

  it.each([
    ['a comment', '// for the ledger'],
    ['a longer word', 'const modelled = remodel;'],
    ['a term of HTTP', `headers['user-agent'];`],
    ['a name imported from npm', `import { Agent } from 'undici';\nnew Agent();`],
    ['a general term', 'const workspaceId = 1;'],
  ])('accepts %s', (_what, text) => {
    expect(checkText(text)).toEqual([]);
  });

  it('accepts the failure reasons that contracts lists', () => {
    const tree = treeOf({
      'libs/contracts/src/errors.ts': `export const REASONS = ['LEDGER_UNAVAILABLE'];`,
      [FILE]: `const status = { LEDGER_UNAVAILABLE: 14, LEDGER_BROKEN: 13 };`,
    });
    expect(kitVocabulary(tree)).toHaveLength(1);
  });

  it('accepts certificates, and no other domain term, in the files about TLS', () => {
    const path = 'libs/service-kit/src/tls/a.ts';
    const tree = treeOf({ [path]: `const certificates = [];\nconst proof = 1;` });
    expect(formatFindings(kitVocabulary(tree))).toEqual([
      `${path}:2 uses the domain term "proof"; the kit must serve any service.`,
    ]);
  });

  it('ignores other libraries', () => {
    expect(kitVocabulary(treeOf({ 'libs/proof/src/certificate.ts': 'certificate;' }))).toEqual([]);
  });
});
