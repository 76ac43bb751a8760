import { syntaxOf, type Syntax } from '../syntax.ts';
import { isCode, isTest, type Rule, type Tree } from '../tree.ts';

/** The closed set of failure reasons; the kit carries them all, whatever they are about. */
const REASONS_FILE = 'libs/contracts/src/errors.ts';

/** What the product is about, and its services. "workspace" is everybody's word and allowed. */
const DOMAIN_WORDS = new Set(
  [
    ['agent', 'certificate', 'completion', 'conversation', 'council', 'debate', 'dialect'],
    ['grounding', 'ledger', 'model', 'notifier', 'prompt', 'proof', 'provider', 'scenario'],
    ['simulation', 'synthesis', 'webhook'],
  ].flat(),
);

/** Words of protocols and libraries that happen to contain one of ours. */
const FOREIGN =
  /user[- ]?agent|peer[- ]?certificate|certificate[- ]?chain|(tracer|meter|logger|span)provider/gi;

/**
 * service-kit is the part of every service that has no domain: no identifier or text of it uses a
 * domain word. Comments may, to say what a thing is for; names imported from npm are not ours.
 */
export const kitWords: Rule = (tree) => {
  const reasons = failureReasons(tree);
  return tree.paths
    .filter((path) => path.startsWith('libs/service-kit/src/') && isCode(path) && !isTest(path))
    .flatMap((path) => {
      const syntax = syntaxOf(tree, path);
      const foreign = foreignNames(syntax);
      return [...syntax.identifiers, ...syntax.strings]
        .filter(({ text }) => !foreign.has(text) && !reasons.has(text))
        .map(({ text, line }) => ({ line, word: domainWord(text) }))
        .filter(({ word }) => word !== undefined)
        .map(({ line, word }) => ({
          path,
          line,
          message: `says "${word}": a domain word; the kit must serve any service.`,
        }));
    });
};

const failureReasons = (tree: Tree): Set<string> =>
  new Set(
    tree.paths.includes(REASONS_FILE)
      ? syntaxOf(tree, REASONS_FILE)
          .strings.map(({ text }) => text)
          .filter((text) => /^[A-Z_]+$/.test(text))
      : [],
  );

const foreignNames = ({ imports }: Syntax): Set<string> =>
  new Set(
    imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('@witan/'))
      .flatMap(({ names }) => names),
  );

/** The first domain word, singular or plural, among the words of an identifier or a text. */
const domainWord = (text: string): string | undefined =>
  text
    .replaceAll(FOREIGN, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .find((word) => DOMAIN_WORDS.has(word) || DOMAIN_WORDS.has(singular(word)));

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');
