import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';

/**
 * Words of a private idiom, each with the field's terms for it. Checked in names of files,
 * identifiers, comments, log messages, error messages, contracts, SQL files and pages.
 * docs/glossary.md has the terms to use.
 */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  scribe: 'batch writer',
  clerk: 'synthesizer',
  courier: 'delivery worker',
  shelf: 'assembler',
  seam: 'joiner',
  luck: 'random',
  workbench: 'draft turn',
  meters: 'metrics',
  book: 'ledger',
  books: 'ledger',
  booked: 'recorded',
  booking: 'ledger entry',
  bookings: 'ledger entries',
  seal: 'encrypt, or sign',
  seals: 'encrypts, or signs',
  sealed: 'encrypted, or signed',
  sealer: 'cipher, or signer',
  sealing: 'encryption, or signing',
  keeper: 'store',
  kept: 'stored, retained or cached',
  told: 'emitted, notified or reported',
  tells: 'reports',
  telling: 'reporting',
  hear: 'receive',
  hears: 'receives',
  heard: 'received',
  hearing: 'receiving',
  saying: 'output',
  fault: 'error, or invalid field',
  faults: 'errors, or invalid fields',
  faulty: 'invalid',
  fact: 'event',
  facts: 'events',
  mend: 'fix',
  mends: 'fixes',
  mended: 'fixed',
  mending: 'fixing',
  doubtful: 'suspect',
  doorman: 'semaphore',
  knock: 'call',
  knocks: 'calls',
  grave: 'sensitive',
  mute: 'unsupported',
  resting: 'inactive, or open (of a circuit)',
  lent: 'borrowed',
  whoever: 'the caller, client or process',
  nobody: 'no caller, client or process',
  somebody: 'a caller, client or process',
};

/** Correct uses of words in `REPLACEMENTS`, each with the reason. At most ten. */
const ALLOWED_USES: readonly { word: RegExp; paths: RegExp; reason: string }[] = [
  { word: /./, paths: /\/migrations\//, reason: 'an applied migration never changes' },
  {
    word: /./,
    paths: /^CHANGELOG\.md$|^docs\/decisions\//,
    reason: 'history, in the words of its time',
  },
  { word: /./, paths: /\/results\/|^docs\/performance\.md$/, reason: 'measured output' },
  {
    word: /./,
    paths: /^libs\/privacy\/(training|src\/gen)\/|^libs\/contracts\/src\/gen\//,
    reason: 'lists of words as data, and code that a generator writes',
  },
  { word: /./, paths: /\/plain-words(\.test)?\.ts$/, reason: 'the list itself' },
  {
    word: /^facts?$/,
    paths:
      /^((apps|proto\/witan)\/(agents|api-gateway|console|simulation)|docs|e2e)\/|^tools\/witan\/|^[A-Z]+\.md$/,
    reason: 'extracted facts, memories of type fact and the facts of a report are terms of the API',
  },
  {
    word: /^faults?$/,
    paths: /^e2e\/|^docs\/|\.md$|\/(create-invalid-fields|simulation-routes\.test)\.ts$/,
    reason: 'fault injection (`npm run faults`), and a member of errors between services',
  },
  {
    word: /^(sealed|sealing)$/,
    paths: /^apps\/[\w-]+\/src\/(?:migrations|[\w-]+\/store)\/|^docs\/threat-model\.md$/,
    reason: 'properties of database columns, and the name of a key file',
  },
];

const PROSE = /\.(md|proto|sql)$/;

/**
 * Checks that names, comments, messages, contracts, SQL files and pages contain no word of
 * `REPLACEMENTS` outside its allowed uses.
 */
export const plainWords: Rule = (tree) =>
  tree.paths.flatMap((path) => [
    ...findBannedWords([{ text: path, line: 1 }], path),
    ...findBannedWords(PROSE.test(path) ? linesOf(tree, path) : [], path),
    ...findBannedWords(isCode(path) ? readTexts(tree, path) : [], path),
  ]);

type ReadableText = { text: string; line: number };

const linesOf = (tree: Tree, path: string): ReadableText[] =>
  tree
    .read(path)
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }));

const readTexts = (tree: Tree, path: string): ReadableText[] => {
  const { identifiers, comments, logCalls, errorMessages } = syntaxOf(tree, path);
  const logMessages = logCalls.map(({ message, line }) => ({ text: message, line }));
  return [...identifiers, ...comments, ...logMessages, ...(isTest(path) ? [] : errorMessages)];
};

const findBannedWords = (readable: readonly ReadableText[], path: string): Finding[] =>
  readable.flatMap(({ text, line }) =>
    wordsOf(text)
      .filter((word) => Object.hasOwn(REPLACEMENTS, word) && !isAllowed(word, path))
      .map((word) => ({ path, line, message: `says "${word}": say ${REPLACEMENTS[word]}.` })),
  );

const isAllowed = (word: string, path: string): boolean =>
  ALLOWED_USES.some((one) => one.word.test(word) && one.paths.test(path));

/**
 * Matches names in snake_case, which are stored or public (columns, metrics, JSON fields), and
 * names such as `0001-names`. They are not checked.
 */
const FIXED_NAME = /\b\d{4}-[\w-]+|\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g;

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(FIXED_NAME, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
