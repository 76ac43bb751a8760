import { syntaxOf, type Syntax } from '../syntax.ts';
import { isCode, isTest, type Rule, type Tree } from '../tree.ts';

/**
 * File with the failure reasons. The kit may use their names, because it transports every reason.
 */
const REASONS_FILE = 'libs/contracts/src/errors.ts';

/** Terms of the product and names of its services. "workspace" is general enough to be allowed. */
const DOMAIN_TERMS = new Set(
  [
    ['agent', 'certificate', 'completion', 'conversation', 'council', 'debate', 'dialect'],
    ['grounding', 'ledger', 'model', 'notifier', 'prompt', 'proof', 'provider', 'scenario'],
    ['simulation', 'synthesis', 'webhook'],
  ].flat(),
);

/** Matches terms of protocols and libraries that contain a domain term. */
const THIRD_PARTY_TERMS = new RegExp(
  [
    'user[- ]?agent|peer[- ]?certificate|certificate[- ]?(chain|provider)',
    '(tracer|meter|logger|span)provider',
  ].join('|'),
  'gi',
);

/** Files about X.509 certificates, which are not those of the product. */
const TLS_FOLDER = 'libs/service-kit/src/tls/';
const TERMS_OF_TLS_FILES = new Set([...DOMAIN_TERMS].filter((term) => term !== 'certificate'));

/**
 * Checks that no identifier or string of service-kit uses a domain term, because the kit serves any
 * service. Comments, tests, failure reasons and names imported from npm or Node are exempt.
 */
export const kitVocabulary: Rule = (tree) => {
  const reasons = failureReasons(tree);
  return tree.paths
    .filter((path) => path.startsWith('libs/service-kit/src/') && isCode(path) && !isTest(path))
    .flatMap((path) => {
      const syntax = syntaxOf(tree, path);
      const external = externalNames(syntax);
      const terms = path.startsWith(TLS_FOLDER) ? TERMS_OF_TLS_FILES : DOMAIN_TERMS;
      return [...syntax.identifiers, ...syntax.strings]
        .filter(({ text }) => !external.has(text) && !reasons.has(text))
        .map(({ text, line }) => ({ line, term: findTerm(text, terms) }))
        .filter(({ term }) => term !== undefined)
        .map(({ line, term }) => ({
          path,
          line,
          message: `uses the domain term "${term}"; the kit must serve any service.`,
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

const externalNames = ({ imports }: Syntax): Set<string> =>
  new Set(
    imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('@witan/'))
      .flatMap(({ names }) => names),
  );

const findTerm = (text: string, terms: ReadonlySet<string>): string | undefined =>
  text
    .replaceAll(THIRD_PARTY_TERMS, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .find((term) => terms.has(term) || terms.has(singular(term)));

const singular = (term: string): string => term.replace(/ies$/, 'y').replace(/s$/, '');
